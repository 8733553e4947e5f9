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
  private readonly deadLetters: Counter<'group' | 'topic'>;
  private readonly outboxSeconds: Histogram<'service'>;

  constructor(
    metrics: Metrics,
    private readonly clock: Clock,
  ) {
    const registers = [metrics];
    this.seconds = new Histogram({
      name: 'parlance_event_handling_seconds',
      help: 'Time that a try of an event took its handler, by group, type and outcome',
      labelNames: ['group', 'type', 'outcome'],
      buckets: DURATIONS,
      registers,
    });
    this.age = new Histogram({
      name: 'parlance_event_age_seconds',
      help: 'How old events were when their handler first got them: how long the group\'s queue is in time',
      labelNames: ['group', 'topic'],
      buckets: AGES,
      registers,
    });
    this.running = new Gauge({ name: 'parlance_events_in_progress', help: 'Events that a handler works on now', labelNames: ['group', 'topic'], registers });
    this.retries = new Counter({ name: 'parlance_event_retries_total', help: 'Tries of events after their first', labelNames: ['group', 'type'], registers });
    this.deadLetters = new Counter({
      name: 'parlance_dead_letters_total',
      help: 'Events that failed their last try and went to the dead letters',
      labelNames: ['group', 'topic'],
      registers,
    });
    this.outboxSeconds = new Histogram({
      name: 'parlance_outbox_lag_seconds',
      help: 'Time from the commit of an event with its document until the bus had it',
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

  buried({ group, topic }: Consumer): void {
    this.deadLetters.inc({ group, topic });
  }

  published(service: string, events: readonly OutboxEvent[]): void {
    for (const { time } of events) this.outboxSeconds.observe({ service }, this.secondsSince(time));
  }

  private secondsSince(time: string): number {
    return Math.max(0, this.clock.now().getTime() - Date.parse(time)) / 1000;
  }
}
