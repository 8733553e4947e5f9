import type { Topic } from '@parlance/contracts';
import type { EventLog, LoggedEvent } from './event-log.js';

/** A full read. */
interface Page {
  after: number;
  limit: number;
  events: readonly LoggedEvent[];
}

/** All events of a topic after a position. */
interface Tail {
  after: number;
  events: readonly LoggedEvent[];
  /** Data version of the file from before they were read. */
  asOf: number;
}

/** Events of a tail; who is further behind reads the file. */
const MAX_TAIL = 128;

/**
 * Reads of the log that groups and followers share: all those that have come equally far on a topic get the same rows, and
 * who has come to its end gets what this process appends without a read.
 */
export class SharedReads {
  private readonly pages = new Map<Topic, Page>();
  private readonly tails = new Map<Topic, Tail>();

  constructor(private readonly log: Pick<EventLog, 'read' | 'dataVersion'>) {}

  read(topic: Topic, after: number, limit: number): readonly LoggedEvent[] {
    const tail = this.tails.get(topic);
    if (tail && tail.after <= after) {
      const start = 1 + tail.events.findLastIndex(({ position }) => position <= after);
      return tail.events.slice(start, start + limit);
    }
    const page = this.pages.get(topic);
    if (page?.after === after && page.limit === limit) return page.events;
    const asOf = this.log.dataVersion();
    const events = this.log.read(topic, after, limit);
    if (events.length < limit) this.tails.set(topic, { after, events, asOf });
    else this.pages.set(topic, { after, limit, events });
    return events;
  }

  /**
   * To be called with what this process has appended, before any reader is notified.
   * @param asOf the file's data version in that transaction: another one says that another process may have appended before
   */
  appended(topic: Topic, appended: readonly LoggedEvent[], asOf: number): void {
    const tail = this.tails.get(topic);
    if (tail?.asOf !== asOf) return this.forget(topic);
    const newest = tail.events.at(-1)?.position ?? tail.after;
    // A reader between the commit and this call has read it.
    const events = [...tail.events, ...appended.filter(({ position }) => position > newest)];
    const after = events.at(-MAX_TAIL - 1)?.position ?? tail.after;
    this.tails.set(topic, { after, events: events.slice(-MAX_TAIL), asOf });
  }

  /** To be called when something else may have been appended or removed, before any reader is notified. */
  forgetAll(): void {
    this.pages.clear();
    this.tails.clear();
  }

  private forget(topic: Topic): void {
    this.pages.delete(topic);
    this.tails.delete(topic);
  }
}
