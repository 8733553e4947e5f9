import type { Topic } from '@parlance/contracts';
import type { EventLog, LoggedEvent } from './event-log.js';

interface Read {
  after: number;
  limit: number;
  events: readonly LoggedEvent[];
}

/** Reads of the log that groups and followers share: all those that have come equally far on a topic get the same rows. */
export class SharedReads {
  private readonly last = new Map<Topic, Read>();

  constructor(private readonly log: Pick<EventLog, 'read'>) {}

  read(topic: Topic, after: number, limit: number): readonly LoggedEvent[] {
    const last = this.last.get(topic);
    if (last?.after === after && last.limit === limit) return last.events;
    const events = this.log.read(topic, after, limit);
    this.last.set(topic, { after, limit, events });
    return events;
  }

  /** To be called when something may have been appended, before anybody is told. */
  forget(topic: Topic): void {
    this.last.delete(topic);
  }
}
