import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { common, events, type AnnouncedType, type JobService, type SummaryService, type TranscriptService } from '@parlance/contracts';
import { createEgress, type AddressLookup, type Egress } from '@parlance/egress';
import type { EventEnvelope } from '@parlance/event-bus';
import { createMetrics, silentLogger, ulidGenerator, type Clock, type IdGenerator, type Metrics, type SecretBox } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { openTaskQueue, type LeaseTimes, type TaskQueue, type Working } from '@parlance/task-queue';
import { eventually } from '@parlance/testing';
import type { CircuitBreaker } from '../src/deliveries/circuit-breaker.js';
import type { Deliveries } from '../src/deliveries/deliveries.js';
import type { DeliveryIntake } from '../src/deliveries/delivery-intake.js';
import { WEBHOOK_QUEUE, type DeliveryQueue } from '../src/deliveries/delivery-queue.js';
import type { DeliveryWorker } from '../src/deliveries/delivery-worker.js';
import type { WebhookDelivery } from '../src/deliveries/delivery.js';
import type { Redeliveries } from '../src/deliveries/redeliveries.js';
import { DEFAULT_SCHEDULE_SECONDS } from '../src/deliveries/retry-schedule.js';
import { createDispatcher, type DispatcherOptions } from './dispatcher-parts.js';
import type { WebhookEndpoints } from '../src/endpoints/webhook-endpoints.js';
import type { AccountEvents } from '../src/events/account-events.js';
import type { ReceiverSecrets } from '../src/secrets/receiver-secrets.js';
import type { WebhookErasures } from '../src/webhook-erasures.js';

/** Runs with the real time, plus what the test adds. */
class AdjustableClock implements Clock {
  private ahead = 0;
  now = () => new Date(Date.now() + this.ahead);
  advance(ms: number): void {
    this.ahead += ms;
  }
}

interface FixtureOptions {
  timeoutMs?: number;
  keepAliveMs?: number;
  allow?: string[];
  concurrency?: number;
  /** No receiver is slow unless a test is about it. */
  slowAfterMs?: number;
  random?: number;
  lookup?: AddressLookup;
  secrets?: SecretBox;
  /** The services that have the contents of webhooks. */
  transcripts?: Pick<TranscriptService, 'getTranscript'>;
  summaries?: Pick<SummaryService, 'getSummary'>;
  jobs?: Pick<JobService, 'getSealedResult'>;
}

const TIMES: LeaseTimes = { leaseMs: 10_000, heartbeatMs: 300, pollMs: 20, lookAgeMs: 20, takeOverDelayMs: 20 };

/** The dispatcher without bus and Nest, on real databases in a temporary folder; it can be restarted, and run twice at once. */
export class DispatcherFixture implements AsyncDisposable {
  readonly ids: IdGenerator = ulidGenerator();
  private readonly egress: Egress;
  private readonly replicas: DispatcherReplica[] = [];
  private readonly dying: TaskQueue[] = [];

  private constructor(
    private readonly stores: DispatcherStores,
    readonly clock: AdjustableClock,
    private readonly options: FixtureOptions,
  ) {
    const { allow = ['127.0.0.0/8'], keepAliveMs = 1_500, lookup } = options;
    this.egress = createEgress({ allow, keepAliveMs, ...(lookup && { lookup }) });
  }

  static async open(options: FixtureOptions = {}, openStores = openFiles): Promise<DispatcherFixture> {
    const clock = new AdjustableClock();
    return new DispatcherFixture(await openStores(clock), clock, options);
  }

  get documents(): DocumentDatabase {
    return this.stores.documents;
  }

  /** A replica that takes in events and, once started, delivers. */
  async replica(): Promise<DispatcherReplica> {
    const { documents } = this.stores;
    const tasks = await this.stores.openTasks(TIMES);
    const replica = new DispatcherReplica({ documents, tasks, clock: this.clock, ids: this.ids, egress: this.egress }, this.options);
    this.replicas.push(replica);
    return replica;
  }

  /** Leases the first receiver that waits, as a process that is killed then. */
  async leaseAndDie(): Promise<void> {
    const tasks = await this.stores.openTasks({ ...TIMES, heartbeatMs: 3600_000 });
    this.dying.push(tasks);
    const { promise: leased, resolve } = Promise.withResolvers<void>();
    const hang = (signal: AbortSignal) => new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const perform = (_task: unknown, { signal }: { signal: AbortSignal }) => (resolve(), hang(signal));
    await tasks.work({ queue: WEBHOOK_QUEUE, capacity: 1, deadlineMs: 3600_000, retry: { maxAttempts: 1, initialDelayMs: 1, maxDelayMs: 1 }, perform });
    await leased;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.dispose()));
    await Promise.all(this.dying.map((tasks) => tasks.close()));
    await this.egress.close();
    await this.stores.dispose();
  }
}

/** The databases that the replicas share. */
export interface DispatcherStores {
  documents: DocumentDatabase;
  /** As another process opens the queue. */
  openTasks(times: LeaseTimes): Promise<TaskQueue>;
  dispose(): Promise<void>;
}

async function openFiles(clock: Clock): Promise<DispatcherStores> {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-webhooks-'));
  const dependencies = { clock, ids: ulidGenerator(), log: silentLogger(), source: 'webhook-dispatcher' };
  const documents = await openDocumentDatabase(`sqlite:${join(folder, 'documents.db')}`, dependencies);
  return {
    documents,
    openTasks: (times) => openTaskQueue(`sqlite:${join(folder, 'tasks.db')}`, { clock, log: silentLogger(), times, drainMs: times.heartbeatMs < 1000 ? 60_000 : 0 }),
    dispose: async () => {
      await documents.close();
      await rm(folder, { recursive: true });
    },
  };
}

type ReplicaDependencies = Pick<DispatcherOptions, 'documents' | 'tasks' | 'ids' | 'egress'> & { clock: AdjustableClock };

export class DispatcherReplica {
  readonly metrics: Metrics = createMetrics();
  private readonly parts: ReturnType<typeof createDispatcher>;
  private working: Promise<Working> | undefined;

  constructor(
    private readonly dependencies: ReplicaDependencies,
    { timeoutMs = 10_000, concurrency = 8, slowAfterMs = 60_000, random = 0.5, secrets = undefined, transcripts, summaries, jobs }: FixtureOptions,
  ) {
    const settings = { timeoutMs, concurrency, slowAfterMs, random: () => random, scheduleSeconds: DEFAULT_SCHEDULE_SECONDS, retentionDays: 30, secrets };
    this.parts = createDispatcher({ ...dependencies, metrics: this.metrics, log: silentLogger(), settings, transcripts: transcripts as TranscriptService, summaries: summaries as SummaryService, jobs: jobs as JobService });
  }

  get deliveries(): Deliveries {
    return this.parts.deliveries;
  }

  get circuits(): CircuitBreaker {
    return this.parts.circuits;
  }

  get queue(): DeliveryQueue {
    return this.parts.queue;
  }

  get tasks(): TaskQueue {
    return this.dependencies.tasks;
  }

  get secrets(): ReceiverSecrets {
    return this.parts.secrets;
  }

  get erasures(): WebhookErasures {
    return this.parts.erasures;
  }

  get worker(): DeliveryWorker {
    return this.parts.worker;
  }

  get intake(): DeliveryIntake {
    return this.parts.intake;
  }

  get redeliveries(): Redeliveries {
    return this.parts.redeliveries;
  }

  get events(): AccountEvents {
    return this.parts.events;
  }

  get endpoints(): WebhookEndpoints {
    return this.parts.endpoints;
  }

  start(): this {
    this.working ??= this.tasks.work(this.parts.worker.taskWorker);
    return this;
  }

  /** Takes no more, and waits for the tries that run. */
  async close(): Promise<void> {
    await (await this.working)?.close();
  }

  async dispose(): Promise<void> {
    await this.close();
    await this.tasks.close();
  }

  async redeliver(id: string, nextAttemptAt?: string): Promise<WebhookDelivery | undefined> {
    const stored = await this.deliveries.collection.get(id);
    return stored && this.queue.redeliver(stored, nextAttemptAt);
  }

  /**
   * Time passes; the worker looks at the clock every 20 ms. A turn under way that ends with a failure counts the rest of its receiver
   * from the new time on, and the next try then comes seconds of real time later: wait until the queue is `idle` before.
   */
  pass(ms: number): void {
    this.dependencies.clock.advance(ms);
  }

  /** Resolves when no receiver is served, or waits to be. */
  idle(): Promise<boolean> {
    return eventually('the queue to be idle', async () => {
      const { waiting, running } = await this.tasks.backlog(WEBHOOK_QUEUE);
      return waiting + running === 0;
    });
  }

  async of(jobId: string): Promise<WebhookDelivery[]> {
    const page = await this.deliveries.collection.find({ where: { jobId }, limit: 100 });
    return page.items.map(({ document }) => document);
  }

  /** The job's deliveries, as soon as they are as the condition wants them. */
  until(jobId: string, condition: (deliveries: WebhookDelivery[]) => boolean): Promise<WebhookDelivery[]> {
    return eventually(`deliveries of ${jobId}`, async () => {
      const found = await this.of(jobId);
      return condition(found) && found;
    });
  }
}

const STATUS = common.JobStatus;

/** The events of one job as ingest publishes them: sequence and id are counted. */
export class TestJob {
  private sequence = 0;
  constructor(
    readonly jobId: string,
    private readonly callbackUrl: string | undefined,
    private readonly accountId = 'acc_1',
    private readonly sealedCallbackHeaders?: string,
  ) {}

  event(type: AnnouncedType): EventEnvelope<AnnouncedType> {
    this.sequence += 1;
    const { jobId, accountId, callbackUrl, sequence, sealedCallbackHeaders } = this;
    const status = type === 'job.completed' ? STATUS.JOB_STATUS_COMPLETED : STATUS.JOB_STATUS_PROCESSING;
    const data = events.JobEvent.fromPartial({ jobId, accountId, sequence, status, ...(callbackUrl ? { callbackUrl } : {}), ...(sealedCallbackHeaders !== undefined && { sealedCallbackHeaders }) });
    return { id: `evt_${jobId}_${sequence}`, type, source: 'ingest', time: new Date().toISOString(), key: jobId, data };
  }
}
