import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { common, events, type AnnouncedType } from '@parlance/contracts';
import { createEgress, type AddressLookup, type Egress } from '@parlance/egress';
import type { EventEnvelope } from '@parlance/event-bus';
import { createMetrics, silentLogger, ulidGenerator, type Clock, type IdGenerator, type Metrics } from '@parlance/platform';
import type { JobErasures } from '@parlance/runtime';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import type { Deliveries } from '../src/deliveries/deliveries.js';
import type { DeliveryIntake } from '../src/deliveries/delivery-intake.js';
import type { DeliveryQueue } from '../src/deliveries/delivery-queue.js';
import type { WebhookDelivery } from '../src/deliveries/delivery.js';
import type { Receivers } from '../src/deliveries/receivers.js';
import { DEFAULT_SCHEDULE_SECONDS } from '../src/deliveries/retry-schedule.js';
import { createDispatcher } from '../src/dispatcher.js';
import type { WebhookEndpoints } from '../src/endpoints/webhook-endpoints.js';
import type { AccountEvents } from '../src/events/account-events.js';
import type { Retention } from '../src/events/retention.js';
import type { SigningSecrets } from '../src/secrets/signing-secrets.js';

/** Runs with the real time, plus what the test adds. */
export class AdjustableClock implements Clock {
  private ahead = 0;
  now = () => new Date(Date.now() + this.ahead);
  advance(ms: number): void {
    this.ahead += ms;
  }
}

export interface FixtureOptions {
  timeoutMs?: number;
  allow?: string[];
  concurrency?: number;
  /** No turn is slow unless a test is about it. */
  slowAfterMs?: number;
  firstTryMs?: number;
  random?: number;
  lookup?: AddressLookup;
}

/** The dispatcher without bus and Nest, on a real database in a temporary folder; it can be restarted, and run twice at once. */
export class DispatcherFixture implements AsyncDisposable {
  readonly clock = new AdjustableClock();
  readonly ids: IdGenerator = ulidGenerator();
  private readonly egress: Egress;
  private replicas: DispatcherReplica[] = [];

  private constructor(
    private readonly folder: string,
    readonly documents: DocumentDatabase,
    private readonly options: FixtureOptions,
  ) {
    const { allow = ['127.0.0.0/8'], lookup } = options;
    this.egress = createEgress({ allow, keepAliveMs: 1_500, ...(lookup && { lookup }) });
  }

  static async open(options: FixtureOptions = {}): Promise<DispatcherFixture> {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-webhooks-'));
    const dependencies = { clock: new AdjustableClock(), ids: ulidGenerator(), log: silentLogger(), source: 'webhook-dispatcher' };
    return new DispatcherFixture(folder, await openDocumentDatabase(`sqlite:${join(folder, 'documents.db')}`, dependencies), options);
  }

  /** A replica that takes in events and, once started, delivers. */
  replica(): DispatcherReplica {
    const replica = new DispatcherReplica(this.documents, this.clock, this.ids, this.egress, this.options);
    this.replicas.push(replica);
    return replica;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.replicas.map(({ queue }) => queue.close()));
    await this.egress.close();
    await this.documents.close();
    await rm(this.folder, { recursive: true });
  }
}

export class DispatcherReplica {
  readonly deliveries: Deliveries;
  readonly receivers: Receivers;
  readonly secrets: SigningSecrets;
  readonly erasures: JobErasures;
  readonly queue: DeliveryQueue;
  readonly intake: DeliveryIntake;
  readonly events: AccountEvents;
  readonly endpoints: WebhookEndpoints;
  readonly retention: Retention;
  readonly metrics: Metrics = createMetrics();

  constructor(
    documents: DocumentDatabase,
    private readonly clock: AdjustableClock,
    ids: IdGenerator,
    egress: Egress,
    { timeoutMs = 10_000, concurrency = 8, slowAfterMs = 60_000, random = 0.5, firstTryMs = 1_000 }: FixtureOptions,
  ) {
    const parts = createDispatcher({
      documents,
      egress,
      metrics: this.metrics,
      clock,
      ids,
      log: silentLogger(),
      random: () => random,
      scheduleSeconds: DEFAULT_SCHEDULE_SECONDS,
      timeoutMs,
      concurrency,
      slowAfterMs,
      firstTryMs,
      retentionDays: 30,
    });
    ({
      deliveries: this.deliveries,
      receivers: this.receivers,
      secrets: this.secrets,
      erasures: this.erasures,
      queue: this.queue,
      intake: this.intake,
      events: this.events,
      endpoints: this.endpoints,
      retention: this.retention,
    } = parts);
  }

  start(): this {
    this.queue.start();
    return this;
  }

  /** Time passes, and the queue notices at once instead of with its timer. */
  pass(ms: number): void {
    this.clock.advance(ms);
    this.queue.wake();
  }

  async of(jobId: string): Promise<WebhookDelivery[]> {
    const page = await this.deliveries.list({ jobId, limit: 100 });
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
  ) {}

  event(type: AnnouncedType): EventEnvelope<AnnouncedType> {
    this.sequence += 1;
    const { jobId, accountId, callbackUrl, sequence } = this;
    const status = type === 'job.completed' ? STATUS.JOB_STATUS_COMPLETED : STATUS.JOB_STATUS_PROCESSING;
    const data = events.JobEvent.fromPartial({ jobId, accountId, sequence, status, ...(callbackUrl ? { callbackUrl } : {}) });
    return { id: `evt_${jobId}_${sequence}`, type, source: 'ingest', time: new Date().toISOString(), key: jobId, data };
  }
}
