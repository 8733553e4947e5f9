import { Controller, Inject, Res } from '@nestjs/common';
import type { webhook, WebhookService } from '@parlance/contracts';
import { WEBHOOK_SERVICE } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { JobReader } from '../transcriptions/job-reader.js';
import { deliveryJson, deliveryStatus, UNFILTERED } from './delivery-json.js';
import { getDelivery, getWebhookSecret, listAccountDeliveries, listDeliveries, redeliver, rotateWebhookSecret } from './delivery-operations.js';
import { secretJson } from './secret-json.js';

@Controller()
export class DeliveriesController {
  constructor(
    @Inject(WEBHOOK_SERVICE) private readonly webhooks: WebhookService,
    @Inject(JobReader) private readonly reader: JobReader,
  ) {}

  @Serves(listDeliveries)
  async list(@Input() { params, query }: InputOf<typeof listDeliveries>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId, jobId: params.job_id };
    await this.reader.get(ref);
    const page = await this.webhooks.listDeliveries({ ...ref, endpointId: undefined, ...UNFILTERED, limit: query.limit, cursor: query.cursor });
    void reply.send({ data: page.deliveries.map(deliveryJson), next_cursor: page.nextCursor ?? null });
  }

  @Serves(listAccountDeliveries)
  async listAll(@Input() { query }: InputOf<typeof listAccountDeliveries>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { limit, cursor, status, created_after: createdAfter, created_before: createdBefore } = query;
    const page = await this.webhooks.listDeliveries({ accountId, jobId: '', endpointId: undefined, limit, cursor, status: deliveryStatus(status), createdAfter, createdBefore });
    void reply.send({ data: page.deliveries.map(deliveryJson), next_cursor: page.nextCursor ?? null });
  }

  @Serves(getDelivery)
  async get(@Input() { params }: InputOf<typeof getDelivery>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId, deliveryId: params.delivery_id };
    const { delivery } = await this.webhooks.getDelivery(ref);
    void reply.send(delivery && deliveryJson(delivery));
  }

  @Serves(redeliver)
  async redeliver(@Input() { params }: InputOf<typeof redeliver>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId, deliveryId: params.delivery_id };
    const { delivery } = await this.webhooks.redeliver(ref);
    void reply.status(202).send(delivery && deliveryJson(delivery));
  }

  @Serves(getWebhookSecret)
  async secret(@Input() { query }: InputOf<typeof getWebhookSecret>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const secret =
      query.url === undefined
        ? { ...(await this.webhooks.getSecret({ accountId })), shared: true }
        : await this.webhooks.getReceiverSecret({ accountId, receiver: receiverAt(query.url) });
    void reply.header('cache-control', 'no-store').send(secretJson(secret));
  }

  @Serves(rotateWebhookSecret)
  async rotate(@Input() { body }: InputOf<typeof rotateWebhookSecret>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { revoke_previous: revokePrevious, url } = body;
    const secret =
      url === undefined
        ? { ...(await this.webhooks.rotateSecret({ accountId, revokePrevious })), shared: true }
        : await this.webhooks.rotateReceiverSecret({ accountId, receiver: receiverAt(url), revokePrevious });
    void reply.status(201).header('cache-control', 'no-store').send(secretJson(secret));
  }
}

const receiverAt = (url: string): webhook.ReceiverRef => ({ receiver: { $case: 'url', value: url } });
