import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS, TASK_QUEUE } from '@parlance/runtime';
import { JobErasure, JobTombstones, type Holdings } from '@parlance/stage';
import type { DocumentDatabase } from '@parlance/storage';
import type { TaskQueue } from '@parlance/task-queue';
import { Deliveries } from './deliveries/deliveries.js';
import { AccountEvents } from './events/account-events.js';

/** Erases the events and deliveries of deleted jobs. A receiver whose deliveries are gone is served once more, and has nothing due. */
@Injectable()
export class WebhookErasures extends JobErasure {
  constructor(@Inject(DOCUMENTS) documents: DocumentDatabase, @Inject(AccountEvents) events: AccountEvents, @Inject(Deliveries) deliveries: Deliveries, @Inject(TASK_QUEUE) tasks: TaskQueue, @Inject(CLOCK) clock: Clock) {
    const holdings: Holdings = {
      what: 'webhook_payloads',
      where: 'webhook-dispatcher',
      count: async ({ jobId }) => (await deliveries.collection.count({ jobId })) + (await events.count(jobId)),
      remove: async ({ jobId }) => {
        await events.erase(jobId);
        await deliveries.collection.removeWhere({ jobId });
      },
    };
    super({ ledger: new JobTombstones(documents, clock), holdings, tasks, clock });
  }
}
