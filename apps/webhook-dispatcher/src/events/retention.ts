import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import { Deliveries } from '../deliveries/deliveries.js';
import { deliveryId } from '../deliveries/delivery.js';
import { DispatcherSettings } from '../dispatcher-settings.js';
import { Periodic } from '../periodic.js';
import { AccountEvents } from './account-events.js';

const HOUR_MS = 3600 * 1000;

/** Removes events that are older than promised, and the deliveries that no job's erasure would find. */
@Injectable()
export class Retention {
  readonly periodic: Periodic;

  constructor(
    @Inject(AccountEvents) private readonly events: AccountEvents,
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(DispatcherSettings) private readonly settings: DispatcherSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) log: Logger,
  ) {
    this.periodic = new Periodic(HOUR_MS, () => this.sweep(), (err) => log.error({ err }, 'removing old events failed; trying again in an hour'));
  }

  /** Events from before this time may have been removed. */
  get since(): Date {
    return new Date(this.clock.now().getTime() - this.settings.retentionDays * 24 * HOUR_MS);
  }

  async sweep(): Promise<void> {
    await this.events.removeBefore(this.since, async (eventId, { destinations }) => {
      for (const destination of destinations.keys()) await this.deliveries.remove(deliveryId(eventId, destination));
    });
  }
}
