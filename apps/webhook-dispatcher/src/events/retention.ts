import type { Clock, Logger } from '@parlance/platform';
import type { Deliveries } from '../deliveries/deliveries.js';
import { deliveryId } from '../deliveries/delivery.js';
import type { AccountEvents } from './account-events.js';

const LOOK_EVERY_MS = 3600 * 1000;

export interface RetentionOptions {
  events: AccountEvents;
  deliveries: Deliveries;
  clock: Clock;
  log: Logger;
  /** How long events can be read again. */
  days: number;
}

/** Removes events that are older than promised, and the deliveries that no job's erasure would find. */
export class Retention {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly options: RetentionOptions) {}

  /** Events of before may be gone. */
  get since(): Date {
    const { clock, days } = this.options;
    return new Date(clock.now().getTime() - days * 24 * 3600 * 1000);
  }

  start(): void {
    this.timer = setInterval(() => this.begin(), LOOK_EVERY_MS);
    this.begin();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  async sweep(): Promise<void> {
    const { events, deliveries } = this.options;
    await events.removeBefore(this.since, async (eventId, { destinations }) => {
      for (const destination of destinations.keys()) await deliveries.remove(deliveryId(eventId, destination));
    });
  }

  private begin(): void {
    this.running ??= this.sweep()
      .catch((error: unknown) => this.options.log.error({ err: error }, 'removing old events failed; it is tried again in an hour'))
      .finally(() => (this.running = undefined));
  }
}
