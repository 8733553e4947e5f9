import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { webhook } from '@parlance/contracts';
import { callUnary } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callContext } from '../http/call-context.js';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { callerOf } from '../keys/key-guard.js';
import { REQUEST_RULES, WEBHOOK_CLIENT } from '../tokens.js';
import { timeText } from '../transcriptions/job-json.js';
import type { RequestRules } from '../transcriptions/request-rules.js';
import { deliveryJson } from './delivery-json.js';
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpointDeliveries,
  listEndpoints,
  testEndpoint,
  updateEndpoint,
} from './endpoint-operations.js';

@Controller()
export class EndpointsController {
  constructor(
    @Inject(WEBHOOK_CLIENT) private readonly client: webhook.WebhookServiceClient,
    @Inject(REQUEST_RULES) private readonly rules: RequestRules,
  ) {}

  @Serves(listEndpoints)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { query } = await readInput(listEndpoints, request);
    const { accountId } = callerOf(request);
    const page = await callUnary(this.client, this.client.listEndpoints, { accountId, ...query }, callContext(request));
    void reply.send({ data: page.endpoints.map(endpointJson), next_cursor: page.nextCursor ?? null });
  }

  @Serves(createEndpoint)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { body } = await readInput(createEndpoint, request, (raw) => this.rules.violations(raw));
    const { accountId } = callerOf(request);
    const { url, event_types: eventTypes = [], enabled } = body;
    const { endpoint } = await callUnary(this.client, this.client.createEndpoint, { accountId, url, eventTypes, enabled }, callContext(request));
    if (endpoint) void reply.status(201).header('location', `/api/v1/webhook-endpoints/${endpoint.endpointId}`).send(endpointJson(endpoint));
  }

  @Serves(getEndpoint)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params } = await readInput(getEndpoint, request);
    const { endpoint } = await callUnary(this.client, this.client.getEndpoint, refOf(request, params), callContext(request));
    void reply.send(endpoint && endpointJson(endpoint));
  }

  @Serves(updateEndpoint)
  async update(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, body } = await readInput(updateEndpoint, request, (raw) => this.rules.violations(raw));
    const { url, event_types: eventTypes = [], enabled } = body;
    const changes = { ...refOf(request, params), url, eventTypes, enabled };
    const { endpoint } = await callUnary(this.client, this.client.updateEndpoint, changes, callContext(request));
    void reply.send(endpoint && endpointJson(endpoint));
  }

  @Serves(deleteEndpoint)
  async delete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params } = await readInput(deleteEndpoint, request);
    await callUnary(this.client, this.client.deleteEndpoint, refOf(request, params), callContext(request));
    void reply.status(204).send();
  }

  @Serves(testEndpoint)
  async test(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params } = await readInput(testEndpoint, request);
    const { delivery } = await callUnary(this.client, this.client.testEndpoint, refOf(request, params), callContext(request));
    void reply.status(202).send(delivery && deliveryJson(delivery));
  }

  @Serves(listEndpointDeliveries)
  async deliveries(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, query } = await readInput(listEndpointDeliveries, request);
    const asked = { ...refOf(request, params), ...query, jobId: '' };
    const page = await callUnary(this.client, this.client.listDeliveries, asked, callContext(request));
    void reply.send({ data: page.deliveries.map(deliveryJson), next_cursor: page.nextCursor ?? null });
  }
}

const refOf = (request: FastifyRequest, { endpoint_id: endpointId }: { endpoint_id: string }) => ({ accountId: callerOf(request).accountId, endpointId });

const endpointJson = ({ endpointId, url, eventTypes, enabled, createdAt, failingSince, disabledAt, disabledReason }: webhook.Endpoint) =>
  present({
    endpoint_id: endpointId,
    url,
    event_types: eventTypes,
    enabled,
    created_at: timeText(createdAt),
    failing_since: timeText(failingSince),
    disabled_at: timeText(disabledAt),
    disabled_reason: disabledReason,
  });
