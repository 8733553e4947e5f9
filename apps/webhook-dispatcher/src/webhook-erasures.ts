import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS, TASK_QUEUE } from '@parlance/runtime';
import { JobErasure, JobTombstones, type Holdings } from '@parlance/stage';
import type { DocumentDatabase } from '@parlance/storage';
import type { TaskQueue } from '@parlance/task-queue';
import { Deliveries } from './deliveries/deliveries.js';
import { deliveryId } from './deliveries/delivery.js';
import { Redeliveries } from './deliveries/redeliveries.js';
import { AccountEvents } from './events/account-events.js';
import { DispatcherSettings } from './webhook-dispatcher.config.js';

const DAY_MS = 24 * 3600 * 1000;

/** Erases the events and deliveries of deleted jobs. A receiver whose deliveries are gone is served once more, and has nothing due. */
@Injectable()
export class WebhookErasures extends JobErasure {
  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(AccountEvents) private readonly events: AccountEvents,
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(Redeliveries) private readonly redeliveries: Redeliveries,
    @Inject(DispatcherSettings) private readonly settings: DispatcherSettings,
    @Inject(TASK_QUEUE) tasks: TaskQueue,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
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

  /** Events from before this time may have been removed. */
  get retainedSince(): Date {
    return new Date(this.clock.now().getTime() - this.settings.retentionDays * DAY_MS);
  }

  /** Removes events that are older than promised, and the deliveries that no job's erasure would find. */
  async removeOld(signal?: AbortSignal): Promise<void> {
    await this.redeliveries.removeBefore(this.retainedSince);
    await this.events.removeBefore(this.retainedSince, async (eventId, { destinations }) => {
      for (const destination of destinations.keys()) await this.deliveries.collection.remove(deliveryId(eventId, destination));
    }, signal);
  }
}
