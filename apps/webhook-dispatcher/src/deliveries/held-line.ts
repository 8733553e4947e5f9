import type { Stored } from '@parlance/storage';
import type { WebhookDelivery } from './delivery.js';
import { OfferedDelivery } from './offered-delivery.js';
import { WakeSignal } from './wake-signal.js';

/** More than that is read from where it is stored. */
const MOST_NEWS = 40;

/** Deliveries that were just stored, or are not stored yet, and that nobody has tried; or `unread` when there may be others. */
export type News = Stored<WebhookDelivery>[] | 'unread';

/** A line that this process serves: who stores a delivery for it here need not write to its document, and hands it over. */
export class HeldLine {
  private news: Stored<WebhookDelivery>[] = [];
  private unread = false;
  /** Offers are waited for in vain. */
  private isSlow = false;
  private readonly signal = new WakeSignal();

  get heard(): boolean {
    return this.unread || this.news.length > 0;
  }

  hear(delivery: Stored<WebhookDelivery> | undefined): void {
    if (delivery === undefined || this.news.length >= MOST_NEWS) this.unread = true;
    else this.news.push(delivery);
    this.signal.wake();
  }

  /** Takes it when there is room; what it does not take is to be stored first. */
  offer(delivery: OfferedDelivery): void {
    if (this.isSlow || this.unread || this.news.length >= MOST_NEWS) return delivery.decline();
    delivery.onLate = () => (this.isSlow = true);
    this.hear(delivery);
  }

  /** What is stored by now is read again, though it was not when it came; what is not is still tried. */
  forgetStored(): void {
    this.isSlow = false;
    for (const each of this.take()) if (each instanceof OfferedDelivery && !each.isStored) this.news.push(each);
  }

  /** What is stored is read again, and what is not is declined. */
  forget(): void {
    for (const each of this.take()) if (each instanceof OfferedDelivery) each.decline();
  }

  /** What has come, or comes within `ms`; undefined when nothing does. */
  async hears(ms: number): Promise<News | undefined> {
    const until = performance.now() + ms;
    for (let left = ms; !this.heard && left > 0; left = until - performance.now()) await this.signal.sleep(left);
    if (!this.heard) return undefined;
    if (!this.unread) return this.take();
    this.forget();
    return 'unread';
  }

  private take(): Stored<WebhookDelivery>[] {
    const { news } = this;
    this.news = [];
    this.unread = false;
    return news;
  }
}
