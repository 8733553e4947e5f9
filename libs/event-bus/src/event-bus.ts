import type { EventData, EventType, NewEvent, Topic } from '@parlance/contracts';
import type { RetryPolicy } from '@parlance/platform';

/** An event as it lies on the bus: CloudEvents 1.0 attributes around typed data. */
export interface EventEnvelope<K extends EventType = EventType> {
  /** `evt_…`, the same on every delivery. */
  id: string;
  type: K;
  /** The service that published it. */
  source: string;
  /** RFC 3339 UTC. */
  time: string;
  /** Events of one key are handled in order within a topic and group. */
  key: string;
  data: EventData<K>;
  /** W3C trace context. */
  traceparent?: string;
}

/** An event that got its id and time when it was stored in an outbox. */
export type OutboxEvent = { [K in EventType]: EventEnvelope<K> }[EventType];

export interface Delivery<K extends EventType = EventType> {
  event: EventEnvelope<K>;
  /** 1 on the first try. */
  attempt: number;
  maxAttempts: number;
  /**
   * Aborted when the subscription closes, the handler's deadline is over, or another process has got the event to handle;
   * pass it on to everything that takes long.
   */
  signal: AbortSignal;
  /**
   * Aborts as soon as the subscription begins to close, some time before `signal`. A handler that only waits for its turn
   * gives up by throwing the reason, and the event is delivered again to the next subscriber; work that has begun continues.
   */
  draining: AbortSignal;
}

/** `settled`: the failure was reported to all that wait for the event's work, and the event is not needed any more. */
type GivenUp = 'settled' | void;

type Handlers = { [K in EventType]?: (delivery: Delivery<K>) => Promise<void> };

export interface Turns {
  /** Events that are worked on at once. */
  places: number;
  /** Events of one account that are worked on at once. Default: half of the places. All of them where the work is short. */
  share?: number;
  /** Milliseconds that the work may take once its turn has come. */
  deadlineMs: number;
}

/** A group's handlers of one topic, and how they are called. */
export interface Consumer {
  /** Each group gets every event once, whatever number of processes share it. */
  group: string;
  topic: Topic;
  /** Types of the topic without a handler are acknowledged. */
  handlers: Handlers;
  /** Events handled at once; those of one key still one after the other. Default 8. */
  concurrency?: number;
  retry?: RetryPolicy;
  /** Milliseconds a handler may run before its signal aborts with a timeout and the try counts as failed. Default 60 s. */
  deadlineMs?: number;
  /** Instead of both, for work that takes long: accounts take turns at it. An event is the handler's when its turn has come. */
  turns?: Turns;
  /**
   * Called after the last failed try, before the event goes to the dead letters: the place to tell the job about it. When it
   * gives `settled`, the event does not go there: handling it again would do nothing.
   * When it throws what is retryable it is called again, without end, until it succeeds or the subscription closes (then the
   * event is delivered again to the next subscriber); when it throws anything else the event is a dead letter all the same.
   */
  giveUp?: (event: OutboxEvent, error: unknown) => Promise<GivenUp>;
  /** Called for each event once it is a dead letter of the group; also for a record that cannot be decoded, for which `giveUp` is not called. */
  deadLettered?: () => void;
}

export interface Subscription {
  /**
   * Stops taking and aborts `draining`; what still runs when the time to drain is over has its signal aborted, and some seconds
   * more. What did not finish is delivered again to the next subscriber.
   */
  close(): Promise<void>;
}

/** Follows a topic from now on without a group: every process sees every event, nothing is stored about it, errors are logged. */
export interface Follower {
  topic: Topic;
  handlers: { [K in EventType]?: (event: EventEnvelope<K>) => void };
}

/**
 * Durable publish and subscribe: at least once, ordered per key.
 * Publishing belongs to the outbox relay; services write events with the document they belong to.
 */
export interface EventBus {
  /** Resolves once every event is durable, in the order given. */
  publish(events: readonly OutboxEvent[]): Promise<void>;
  subscribe(consumer: Consumer): Promise<Subscription>;
  follow(follower: Follower): Promise<Subscription>;
  readonly deadLetters: DeadLetters;
  /**
   * Removes the events of the key and of keys below it (`<key>/…`) that every group has finished, and the others as soon as they have,
   * their dead letters; except the event that reports the erasure, which other groups may not have received yet. A broker that cannot
   * remove single events keeps them for their topic's retention.
   * @param except id of the event to keep
   */
  erase(key: string, options: { except: string }): Promise<void>;
  /** Throws when the bus cannot be used now; for readiness. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface DeadLetter {
  /** The id of the dead letter, not of the event. */
  id: string;
  group: string;
  topic: Topic;
  event: OutboxEvent;
  /** The last try's error: code and message. */
  reason: string;
  attempts: number;
  failedAt: string;
}

export interface DeadLetters {
  list(options?: { topic?: Topic; group?: string; limit?: number }): Promise<DeadLetter[]>;
  get(id: string): Promise<DeadLetter | undefined>;
  /** Delivers the event once more to the group it failed in, then drops the letter. @throws AppError not_found */
  replay(id: string): Promise<void>;
  /** @throws AppError not_found */
  drop(id: string): Promise<void>;
}

export { DEFAULT_RETRY, PATIENT_RETRY, type RetryPolicy } from '@parlance/platform';
export type { NewEvent };
