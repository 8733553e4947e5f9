import type { Stored } from '@parlance/storage';
import type { WebhookDelivery } from './delivery.js';
import { WakeSignal } from './wake-signal.js';

/** More than that is read from where it is stored. */
const MOST_NEWS = 40;

/** Deliveries that were just stored and that nobody has tried, or `unread` when there may be others. */
export type News = Stored<WebhookDelivery>[] | 'unread';

/** A line that this process serves: who stores a delivery for it here need not write to its document, and hands it over. */
export class HeldLine {
  private news: Stored<WebhookDelivery>[] = [];
  private unread = false;
  private readonly signal = new WakeSignal();

  get heard(): boolean {
    return this.unread || this.news.length > 0;
  }

  hear(delivery: Stored<WebhookDelivery> | undefined): void {
    if (delivery === undefined || this.news.length >= MOST_NEWS) this.unread = true;
    else this.news.push(delivery);
    this.signal.wake();
  }

  forget(): void {
    this.news = [];
    this.unread = false;
  }

  /** What has come, or comes within `ms`; undefined when nothing does. */
  async hears(ms: number): Promise<News | undefined> {
    const until = performance.now() + ms;
    for (let left = ms; !this.heard && left > 0; left = until - performance.now()) await this.signal.sleep(left);
    if (!this.heard) return undefined;
    const news = this.unread ? 'unread' : this.news;
    this.forget();
    return news;
  }
}
