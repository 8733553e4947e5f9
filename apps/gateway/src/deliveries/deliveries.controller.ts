import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { webhook } from '@parlance/contracts';
import { callUnary } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callContext } from '../http/call-context.js';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { callerOf } from '../keys/key-guard.js';
import { JOB_READER, WEBHOOK_CLIENT } from '../tokens.js';
import { timeText } from '../transcriptions/job-json.js';
import type { JobReader } from '../transcriptions/job-reader.js';
import { deliveryJson } from './delivery-json.js';
import { getDelivery, getWebhookSecret, listDeliveries, listEvents, redeliver, rotateWebhookSecret } from './delivery-operations.js';

@Controller()
export class DeliveriesController {
  constructor(
    @Inject(WEBHOOK_CLIENT) private readonly client: webhook.WebhookServiceClient,
    @Inject(JOB_READER) private readonly reader: JobReader,
  ) {}

  @Serves(listDeliveries)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, query } = await readInput(listDeliveries, request);
    const call = callContext(request);
    const ref = { accountId: callerOf(request).accountId, jobId: params.job_id };
    await this.reader.get(ref, call);
    const page = await callUnary(this.client, this.client.listDeliveries, { ...ref, endpointId: undefined, limit: query.limit, cursor: query.cursor }, call);
    void reply.send({ data: page.deliveries.map(deliveryJson), next_cursor: page.nextCursor ?? null });
  }

  @Serves(getDelivery)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params } = await readInput(getDelivery, request);
    const ref = { accountId: callerOf(request).accountId, deliveryId: params.delivery_id };
    const { delivery } = await callUnary(this.client, this.client.getDelivery, ref, callContext(request));
    void reply.send(delivery && deliveryJson(delivery));
  }

  @Serves(redeliver)
  async redeliver(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params } = await readInput(redeliver, request);
    const ref = { accountId: callerOf(request).accountId, deliveryId: params.delivery_id };
    const { delivery } = await callUnary(this.client, this.client.redeliver, ref, callContext(request));
    void reply.status(202).send(delivery && deliveryJson(delivery));
  }

  @Serves(listEvents)
  async events(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { query } = await readInput(listEvents, request);
    const { accountId } = callerOf(request);
    const page = await callUnary(this.client, this.client.listEvents, { accountId, after: query.after, limit: query.limit }, callContext(request));
    void reply.send({
      data: page.events.map(({ eventId, body }) => ({ event_id: eventId, ...(JSON.parse(body) as object) })),
      next_cursor: page.nextCursor,
      has_more: page.hasMore,
      retained_since: timeText(page.retainedSince),
    });
  }

  @Serves(getWebhookSecret)
  async secret(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await readInput(getWebhookSecret, request);
    const { accountId } = callerOf(request);
    const secret = await callUnary(this.client, this.client.getSecret, { accountId }, callContext(request));
    void reply.header('cache-control', 'no-store').send(secretJson(secret));
  }

  @Serves(rotateWebhookSecret)
  async rotate(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await readInput(rotateWebhookSecret, request);
    const { accountId } = callerOf(request);
    const secret = await callUnary(this.client, this.client.rotateSecret, { accountId }, callContext(request));
    void reply.status(201).header('cache-control', 'no-store').send(secretJson(secret));
  }
}

const secretJson = ({ secret, previousExpiresAt }: webhook.GetSecretResponse) =>
  present({ secret, previous_expires_at: timeText(previousExpiresAt) });
