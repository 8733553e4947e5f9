import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { webhook, WebhookService } from '@parlance/contracts';
import type { Clock, IdGenerator } from '@parlance/platform';
import { CLOCK, ID_GENERATOR, WEBHOOK_SERVICE } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidFields } from '../http/field-errors.js';
import type { InputOf } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { Input, Serves } from '../http/serves.js';
import { newIdOf } from '../idempotency/new-id.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { timeText } from '../transcriptions/job-json.js';
import { createRedelivery, getRedelivery } from './redelivery-operations.js';

@Controller()
export class RedeliveriesController {
  constructor(
    @Inject(WEBHOOK_SERVICE) private readonly webhooks: Pick<WebhookService, 'createRedelivery' | 'getRedelivery'>,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Serves(createRedelivery)
  async create(@Input() { params, body }: InputOf<typeof createRedelivery>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { from, to, status, event_types: eventTypes = [] } = body;
    if (from > this.clock.now()) throw invalidFields([{ pointer: '/from', code: 'invalid_value', detail: 'This must not be in the future.' }]);
    const { endpoint_id: endpointId } = params;
    const redeliveryId = newIdOf('rdl', request, this.ids);
    const { redelivery } = await this.webhooks.createRedelivery({ accountId, redeliveryId, endpointId, from, to, all: status === 'all', eventTypes });
    void reply.status(202).header('location', `/api/v1/webhook-endpoints/${endpointId}/redeliveries/${redeliveryId}`).send(redelivery && redeliveryJson(redelivery));
  }

  @Serves(getRedelivery)
  async get(@Input() { params }: InputOf<typeof getRedelivery>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { redelivery } = await this.webhooks.getRedelivery({ accountId, endpointId: params.endpoint_id, redeliveryId: params.redelivery_id });
    void reply.send(redelivery && redeliveryJson(redelivery));
  }
}

const redeliveryJson = ({ redeliveryId, endpointId, createdAt, from, to, all, eventTypes, count, completedAt, moreFrom }: webhook.Redelivery) =>
  present({
    redelivery_id: redeliveryId,
    endpoint_id: endpointId,
    created_at: timeText(createdAt),
    from: timeText(from),
    to: timeText(to),
    status: all ? 'all' : 'failed',
    event_types: eventTypes,
    state: completedAt ? 'completed' : 'processing',
    count,
    more_from: timeText(moreFrom),
  });
