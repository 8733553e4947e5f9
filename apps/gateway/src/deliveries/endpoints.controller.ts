import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { webhook, WebhookService } from '@parlance/contracts';
import type { IdGenerator } from '@parlance/platform';
import { ID_GENERATOR, WEBHOOK_SERVICE } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SealedHeaders, type Headers } from '../http/sealed-headers.js';
import { ifMatchOf, versionTag } from '../http/entity-tags.js';
import { readInput, type InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { present } from '../http/schema.js';
import { canRead, type Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { newIdOf } from '../idempotency/new-id.js';
import { timeText } from '../transcriptions/job-json.js';
import { RequestRules } from '../transcriptions/request-rules.js';
import { deliveryJson, UNFILTERED } from './delivery-json.js';
import { secretJson } from './secret-json.js';
import { requireReader } from './webhook-include.js';
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  getEndpointSecret,
  listEndpointDeliveries,
  listEndpoints,
  rotateEndpointSecret,
  testEndpoint,
  updateEndpoint,
} from './endpoint-operations.js';

@Controller()
export class EndpointsController {
  constructor(
    @Inject(WEBHOOK_SERVICE) private readonly webhooks: WebhookService,
    @Inject(RequestRules) private readonly rules: RequestRules,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @Inject(SealedHeaders) private readonly headers: Pick<SealedHeaders, 'seal'>,
  ) {}

  @Serves(listEndpoints)
  async list(@Input() { query }: InputOf<typeof listEndpoints>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const page = await this.webhooks.listEndpoints({ accountId, ...query });
    void reply.send({ data: page.endpoints.map(endpointJson), next_cursor: page.nextCursor ?? null });
  }

  @Serves(createEndpoint)
  async create(@Req() request: FastifyRequest, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { accountId } = caller;
    const { body } = await readInput(createEndpoint, request, (raw) => this.rules.violations(raw));
    requireReader(canRead(caller), body.include);
    const { url, event_types: eventTypes = [], enabled } = body;
    const ref = { accountId, endpointId: newIdOf('whe', request, this.ids) };
    const { endpoint, secret } = await this.webhooks.createEndpoint({ ...ref, url, eventTypes, enabled, headers: this.sealed(body.headers, ref), include: body.include && { names: body.include } });
    if (!endpoint) return;
    const location = `/api/v1/webhook-endpoints/${endpoint.endpointId}`;
    // A dispatcher of the version before sends none during a rolling upgrade.
    void reply.status(201).headers({ location, 'cache-control': 'no-store' }).send({ ...endpointJson(endpoint), ...(secret && { secret }) });
  }

  @Serves(getEndpoint)
  async get(@Input() { params }: InputOf<typeof getEndpoint>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { endpoint } = await this.webhooks.getEndpoint(refOf(caller, params));
    sendEndpoint(reply, endpoint);
  }

  @Serves(updateEndpoint)
  async update(@Req() request: FastifyRequest, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { params, body } = await readInput(updateEndpoint, request, (raw) => this.rules.violations(raw));
    const { url, event_types: eventTypes = [], enabled } = body;
    const ref = refOf(caller, params);
    const ifMatch = await this.checkedState(caller, ref, body, ifMatchOf(request));
    const { endpoint } = await this.webhooks.updateEndpoint({ ...ref, url, eventTypes, enabled, headers: this.sealed(body.headers, ref), include: body.include && { names: body.include }, ifMatch });
    sendEndpoint(reply, endpoint);
  }

  /** Contents are sent to a new URL only when a reader wants that. @returns the states in which the endpoint may be changed. @throws AppError insufficient_scope */
  private async checkedState(caller: Caller, ref: { accountId: string; endpointId: string }, { url, include }: { url?: string | undefined; include?: readonly string[] | undefined }, ifMatch: string[]): Promise<string[]> {
    requireReader(canRead(caller), include);
    if (include || url === undefined || canRead(caller)) return ifMatch;
    const { endpoint } = await this.webhooks.getEndpoint(ref);
    requireReader(false, endpoint?.include);
    return endpoint && ifMatch.length === 0 ? [endpoint.revision] : ifMatch;
  }

  private sealed(headers: Headers | undefined, { accountId, endpointId }: { accountId: string; endpointId: string }): webhook.SealedHeaders | undefined {
    if (!headers) return undefined;
    const names = Object.keys(headers);
    return { names, sealed: names.length === 0 ? '' : this.headers.seal(headers, `${accountId}/${endpointId}`, '/headers') };
  }

  @Serves(deleteEndpoint)
  async delete(@Input() { params }: InputOf<typeof deleteEndpoint>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.webhooks.deleteEndpoint(refOf(caller, params));
    void reply.status(204).send();
  }

  @Serves(testEndpoint)
  async test(@Input() { params }: InputOf<typeof testEndpoint>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { delivery } = await this.webhooks.testEndpoint(refOf(caller, params));
    void reply.status(202).send(delivery && deliveryJson(delivery));
  }

  @Serves(getEndpointSecret)
  async secret(@Input() { params }: InputOf<typeof getEndpointSecret>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const secret = await this.webhooks.getReceiverSecret(receiverOf(caller, params));
    void reply.header('cache-control', 'no-store').send(secretJson(secret));
  }

  @Serves(rotateEndpointSecret)
  async rotateSecret(@Input() { params, body }: InputOf<typeof rotateEndpointSecret>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const asked = { ...receiverOf(caller, params), revokePrevious: body.revoke_previous };
    const secret = await this.webhooks.rotateReceiverSecret(asked);
    void reply.status(201).header('cache-control', 'no-store').send(secretJson(secret));
  }

  @Serves(listEndpointDeliveries)
  async deliveries(@Input() { params, query }: InputOf<typeof listEndpointDeliveries>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const asked = { ...refOf(caller, params), ...query, ...UNFILTERED, jobId: '' };
    const page = await this.webhooks.listDeliveries(asked);
    void reply.send({ data: page.deliveries.map(deliveryJson), next_cursor: page.nextCursor ?? null });
  }
}

const refOf = ({ accountId }: Caller, { endpoint_id: endpointId }: { endpoint_id: string }) => ({ accountId, endpointId });

function receiverOf(caller: Caller, params: { endpoint_id: string }) {
  const { accountId, endpointId } = refOf(caller, params);
  return { accountId, receiver: { receiver: { $case: 'endpointId' as const, value: endpointId } } };
}

function sendEndpoint(reply: FastifyReply, endpoint: webhook.Endpoint | undefined): void {
  // A dispatcher of the version before sends no revision during a rolling upgrade.
  if (endpoint && endpoint.revision !== '') reply.header('etag', versionTag(endpoint.revision));
  void reply.send(endpoint && endpointJson(endpoint));
}

const endpointJson = ({ endpointId, url, eventTypes, enabled, headerNames, include, createdAt, failingSince, disabledAt, disabledReason }: webhook.Endpoint) =>
  present({
    endpoint_id: endpointId,
    url,
    event_types: eventTypes,
    enabled,
    header_names: headerNames,
    include,
    created_at: timeText(createdAt),
    failing_since: timeText(failingSince),
    disabled_at: timeText(disabledAt),
    disabled_reason: disabledReason,
  });
