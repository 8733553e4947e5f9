import { ERASURE_REPORTS, LATE_MS, rootOf } from '../erasable.js';
import type { DeadLetter } from '../event-bus.js';
import { headerOf, type IncomingRecord, type OutgoingRecord } from './cloud-event-record.js';

const PREFIX = 'erased/';
const KEPT_EVENT = 'erased-but-for';

/**
 * Announces to all readers of the dead letters, also later ones, that the key was erased. A tombstone, so that the broker
 * forgets it a day after it has compacted the topic, when nothing can come late any longer.
 */
export const toErasureRecord = (key: string, keptEvent: string): OutgoingRecord => ({
  key: `${PREFIX}${key}`,
  value: null,
  headers: { [KEPT_EVENT]: keptEvent },
});

/** The keys that were erased within the last day, as the records among the dead letters say. */
export class ErasedKeys {
  private readonly keys = new Map<string, { keptEvent: string; at: number }>();

  /** @returns whether the record was about an erasure */
  take(record: IncomingRecord): boolean {
    const id = record.key?.toString() ?? '';
    const keptEvent = headerOf(record, KEPT_EVENT);
    if (!id.startsWith(PREFIX) || keptEvent === undefined) return false;
    const at = Number(record.timestamp);
    this.keys.set(id.slice(PREFIX.length), { keptEvent, at });
    this.forgetBefore(at - LATE_MS);
    return true;
  }

  /** True when nothing may be left of it. */
  has({ topic, event }: DeadLetter): boolean {
    const erasure = this.keys.get(rootOf(event.key));
    return erasure !== undefined && erasure.keptEvent !== event.id && topic !== ERASURE_REPORTS;
  }

  /** They lie in the order in which they came. */
  private forgetBefore(oldest: number): void {
    for (const [key, { at }] of this.keys) {
      if (at >= oldest) return;
      this.keys.delete(key);
    }
  }
}
