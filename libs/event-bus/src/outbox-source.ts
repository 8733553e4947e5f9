import type { OutboxEvent } from './event-bus.js';

/** The store in which the relay finds events that are not yet published. */
export interface OutboxSource {
  /** Oldest first, over all collections. */
  pending(limit: number): Promise<PendingEvents[]>;
  /** Forgets the events, after the bus has them. */
  settle(pending: readonly PendingEvents[]): Promise<void>;
  /** Keeps an event that the bus refuses for good out of the way of the others, until an operator decides. Idempotent. */
  setAside(event: OutboxEvent, reason: string): Promise<void>;
  /** Oldest first. */
  refused(limit?: number): Promise<RefusedEvent[]>;
  /** @returns whether it was there */
  dropRefused(eventId: string): Promise<boolean>;
  /** Drops those of the key and of keys below it, but those that tell of the erasure (`TELLS_OF_ERASURE`). */
  eraseRefused(key: string): Promise<void>;
  /** Drops those that were set aside before. */
  forgetRefused(before: Date): Promise<void>;
  /** Called after each commit with events in this process, so that the relay need not wait for its next look. */
  onCommit(listener: () => void): void;
}

/** An event that was stored with its document and that the bus does not take. */
export interface RefusedEvent {
  event: OutboxEvent;
  /** Code and message of the refusal. */
  reason: string;
  /** RFC 3339 UTC. */
  refusedAt: string;
}

export interface PendingEvents {
  /** The token by which `settle` finds them again. */
  ref: string;
  events: OutboxEvent[];
}
