import type { RetryPolicy } from '@parlance/platform';
import type { Again, NewTask, Task, TaskContext, TaskQueue, TaskWorker } from '../task-queue.js';
import type { LeaseTimes } from '../work/queue-options.js';
import type { ConnectOptions, TaskQueueUnderTest } from './task-queue-under-test.js';

export const QUICK_RETRY: RetryPolicy = { maxAttempts: 3, initialDelayMs: 1, maxDelayMs: 4 };

/** Leases outlast each stop of a busy machine, between two heartbeats of workers in one process too, and each choice is by a new look. */
export const QUICK_TIMES: LeaseTimes = { leaseMs: 5000, heartbeatMs: 200, pollMs: 50, lookAgeMs: 0, takeOverDelayMs: 20 };

/** Of a worker whose lease is to end: it dies, stands still, or sends no heartbeats. Others take over its tasks soon. */
export const SHORT_LEASES: LeaseTimes = { ...QUICK_TIMES, leaseMs: 1000 };

export interface Payload {
  text: string;
}

/** A place where tasks wait until the test lets them go. */
export class Gate {
  readonly inside: string[] = [];
  private readonly waiting = new Map<string, () => void>();
  private isOpen = false;

  /** Waits until `release`, or throws the signal's reason. */
  async pass(id: string, signal: AbortSignal): Promise<void> {
    this.inside.push(id);
    try {
      if (this.isOpen) return;
      await new Promise<void>((resolve, reject) => {
        this.waiting.set(id, resolve);
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    } finally {
      this.inside.splice(this.inside.indexOf(id), 1);
      this.waiting.delete(id);
    }
  }

  release(id: string | undefined): void {
    if (id !== undefined) this.waiting.get(id)?.();
  }

  open(): void {
    this.isOpen = true;
    for (const release of this.waiting.values()) release();
  }
}

/** Queues on one store, each as a process of its own has it. */
export class QueueFixture {
  private readonly connected: TaskQueue[] = [];
  private underTest: TaskQueueUnderTest | undefined;

  constructor(private readonly openStore: () => Promise<TaskQueueUnderTest>) {}

  async setUp(): Promise<void> {
    this.underTest = await this.openStore();
  }

  async tearDown(): Promise<void> {
    await Promise.all(this.connected.splice(0).map((queue) => queue.close()));
    await this.underTest?.dispose();
  }

  get address(): Pick<TaskQueueUnderTest, 'url' | 'service'> {
    return this.opened;
  }

  async connect(options: ConnectOptions = {}): Promise<TaskQueue> {
    const queue = await this.opened.connect({ times: QUICK_TIMES, ...options });
    this.connected.push(queue);
    return queue;
  }

  private get opened(): TaskQueueUnderTest {
    if (!this.underTest) throw new Error('the store is not open');
    return this.underTest;
  }

  task(id: string, rest: Partial<NewTask<Payload>> = {}): NewTask<Payload> {
    return { id, accountId: 'acc_1', payload: { text: `about ${id}` }, ...rest };
  }

  worker(perform: (task: Task<Payload>, context: TaskContext) => Promise<Again | void> | Again | void, rest: Partial<TaskWorker<Payload>> = {}): TaskWorker<Payload> {
    return { queue: 'work', capacity: 1, deadlineMs: 60_000, retry: QUICK_RETRY, perform: async (task, context) => perform(task, context), ...rest };
  }
}
