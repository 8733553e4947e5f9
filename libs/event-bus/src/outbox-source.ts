import type { OutboxEvent } from './event-bus.js';

/** Where the relay finds events that are stored but not yet published. */
export interface OutboxSource {
  /** Oldest first, over all collections. */
  pending(limit: number): Promise<PendingEvents[]>;
  /** Forgets the events, after the bus has them. */
  settle(pending: readonly PendingEvents[]): Promise<void>;
  /** Called after each commit with events in this process, so that the relay need not wait for its next look. */
  onCommit(listener: () => void): void;
}

export interface PendingEvents {
  /** What `settle` needs to find them again. */
  ref: string;
  events: OutboxEvent[];
}
