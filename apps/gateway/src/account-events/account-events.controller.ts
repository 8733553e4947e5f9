import { Controller, Inject, Module, Res } from '@nestjs/common';
import type { WebhookService } from '@parlance/contracts';
import { WEBHOOK_SERVICE } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { timeText } from '../transcriptions/job-json.js';
import { listEvents } from './account-event-operations.js';

/** The events that webhooks announce, for clients that read them instead. */
@Controller()
class AccountEventsController {
  constructor(@Inject(WEBHOOK_SERVICE) private readonly webhooks: WebhookService) {}

  @Serves(listEvents)
  async list(@Input() { query }: InputOf<typeof listEvents>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const page = await this.webhooks.listEvents({ accountId, after: query.after, limit: query.limit, type: query.type, jobId: query.job_id, descending: query.order === 'desc' });
    void reply.send({
      data: page.events.map(({ eventId, body }) => ({ event_id: eventId, ...(JSON.parse(body) as object) })),
      next_cursor: page.nextCursor,
      has_more: page.hasMore,
      retained_since: timeText(page.retainedSince),
    });
  }
}

@Module({ controllers: [AccountEventsController] })
export class AccountEventsModule {}
