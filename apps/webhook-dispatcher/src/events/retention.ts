import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import { Deliveries } from '../deliveries/deliveries.js';
import { deliveryId } from '../deliveries/delivery.js';
import { DispatcherSettings } from '../webhook-dispatcher.config.js';
import { AccountEvents } from './account-events.js';

const DAY_MS = 24 * 3600 * 1000;

/** Removes events that are older than promised, and the deliveries that no job's erasure would find. */
@Injectable()
export class Retention {
  constructor(
    @Inject(AccountEvents) private readonly events: AccountEvents,
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(DispatcherSettings) private readonly settings: DispatcherSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Events from before this time may have been removed. */
  get since(): Date {
    return new Date(this.clock.now().getTime() - this.settings.retentionDays * DAY_MS);
  }

  async sweep(): Promise<void> {
    await this.events.removeBefore(this.since, async (eventId, { destinations }) => {
      for (const destination of destinations.keys()) await this.deliveries.collection.remove(deliveryId(eventId, destination));
    });
  }
}
