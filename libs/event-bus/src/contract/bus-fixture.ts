import { randomUUID } from 'node:crypto';
import { EVENTS, type EventType } from '@parlance/contracts';
import { systemClock, ulidGenerator } from '@parlance/platform';
import type { ClosingTimes } from '../delivery/group-member.js';
import type { Consumer, Delivery, EventBus, OutboxEvent, RetryPolicy } from '../event-bus.js';
import { stampEvent } from '../event-json.js';
import type { EventBusUnderTest } from './event-bus-under-test.js';

type JobEventType = Extract<EventType, `job.${string}`>;
type JobDelivery = Delivery<JobEventType>;

export const QUICK_RETRY: RetryPolicy = { maxAttempts: 3, initialDelayMs: 1, maxDelayMs: 4 };

/** A bus, and events of jobs that no other test has. */
export class BusFixture<B extends EventBus = EventBus> {
  private readonly ids = ulidGenerator();
  private readonly connected: B[] = [];
  private underTest: EventBusUnderTest<B> | undefined;

  constructor(private readonly open: () => Promise<EventBusUnderTest<B>>) {}

  async setUp(): Promise<void> {
    this.underTest = await this.open();
  }

  async tearDown(): Promise<void> {
    await Promise.all([this.bus, ...this.connected.splice(0)].map((bus) => bus.close()));
    await this.opened.dispose();
  }

  get bus(): B {
    return this.opened.bus;
  }

  /** A bus on the same log, as another process has it. */
  async connect(times: Pick<ClosingTimes, 'drainMs'> = {}): Promise<B> {
    const bus = await this.opened.connect(times);
    this.connected.push(bus);
    return bus;
  }

  name(kind: string): string {
    return `${kind}_${randomUUID()}`;
  }

  /** An event of the job: its key. */
  event(jobId: string, type: JobEventType = 'job.progressed', sequence = 0): OutboxEvent {
    const data = EVENTS[type].codec.fromJSON({ jobId, accountId: 'acc_1', sequence, occurredAt: '2026-03-04T05:06:07.089Z' });
    return stampEvent({ type, data }, { clock: systemClock, ids: this.ids, source: 'contract' });
  }

  /** A consumer of job.progressed alone; events of jobs that are not given are left to other tests. */
  consumer(jobs: readonly string[], handle: (delivery: JobDelivery) => Promise<void> | void, options: Partial<Consumer> = {}): Consumer {
    const handler = async (delivery: JobDelivery) => {
      if (jobs.includes(delivery.event.key)) await handle(delivery);
    };
    return { group: this.name('group'), topic: 'parlance.jobs.v1', retry: QUICK_RETRY, handlers: { 'job.progressed': handler }, ...options };
  }

  private get opened(): EventBusUnderTest<B> {
    if (!this.underTest) throw new Error('the bus is not open');
    return this.underTest;
  }
}
