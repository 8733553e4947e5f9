import type { Consumer, OutboxEvent } from '@parlance/event-bus';
import type { Clock, Metrics } from '@parlance/platform';
import { Counter, Gauge, Histogram } from 'prom-client';

const AGES = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600];
const DURATIONS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1800];

type Outcome = 'done' | 'failed' | 'interrupted';

/** What this process's consumers and outboxes do: rate, errors, duration, and how far they are behind. */
export class EventMetrics {
  private readonly seconds: Histogram<'group' | 'type' | 'outcome'>;
  private readonly age: Histogram<'group' | 'topic'>;
  private readonly running: Gauge<'group' | 'topic'>;
  private readonly retries: Counter<'group' | 'type'>;
  private readonly outages: Counter<'group' | 'code'>;
  private readonly deadLetters: Counter<'group' | 'topic'>;
  private readonly outboxSeconds: Histogram<'service'>;

  constructor(
    metrics: Metrics,
    private readonly clock: Clock,
  ) {
    const registers = [metrics];
    this.seconds = new Histogram({
      name: 'parlance_event_handling_seconds',
      help: 'Time that the handler took for one attempt at an event, by group, type and outcome',
      labelNames: ['group', 'type', 'outcome'],
      buckets: DURATIONS,
      registers,
    });
    this.age = new Histogram({
      name: 'parlance_event_age_seconds',
      help: 'Age of events when their handler first received them: how far the group is behind',
      labelNames: ['group', 'topic'],
      buckets: AGES,
      registers,
    });
    this.running = new Gauge({ name: 'parlance_events_in_progress', help: 'Events that a handler is processing', labelNames: ['group', 'topic'], registers });
    this.retries = new Counter({ name: 'parlance_event_retries_total', help: 'Attempts at events after their first', labelNames: ['group', 'type'], registers });
    this.outages = new Counter({
      name: 'parlance_event_outages_total',
      help: 'Attempts at events that failed in an outage and wait for its end, by error code: storage_full, service_unavailable (no descriptors or memory left, or a service is away), …_unavailable (a server is away)',
      labelNames: ['group', 'code'],
      registers,
    });
    this.deadLetters = new Counter({
      name: 'parlance_dead_letters_total',
      help: 'Events that failed their last attempt and became dead letters',
      labelNames: ['group', 'topic'],
      registers,
    });
    this.outboxSeconds = new Histogram({
      name: 'parlance_outbox_lag_seconds',
      help: 'Time from the commit of an event with its document until it was published to the bus',
      labelNames: ['service'],
      buckets: AGES,
      registers,
    });
  }

  /** @returns what is to be called at the end of the try */
  begin({ group, topic }: Consumer, { type, time }: OutboxEvent, attempt: number): (outcome: Outcome) => void {
    if (attempt === 1) this.age.observe({ group, topic }, this.secondsSince(time));
    else this.retries.inc({ group, type });
    this.running.inc({ group, topic });
    const end = this.seconds.startTimer({ group, type });
    return (outcome) => {
      this.running.dec({ group, topic });
      end({ outcome });
    };
  }

  /** A try has failed in an outage. */
  outage({ group }: Consumer, code: string): void {
    this.outages.inc({ group, code });
  }

  deadLettered({ group, topic }: Consumer): void {
    this.deadLetters.inc({ group, topic });
  }

  published(service: string, events: readonly OutboxEvent[]): void {
    for (const { time } of events) this.outboxSeconds.observe({ service }, this.secondsSince(time));
  }

  private secondsSince(time: string): number {
    return Math.max(0, this.clock.now().getTime() - Date.parse(time)) / 1000;
  }
}
