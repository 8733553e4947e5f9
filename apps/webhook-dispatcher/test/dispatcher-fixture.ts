import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { common, events } from '@parlance/contracts';
import { createEgress, type Egress } from '@parlance/egress';
import type { EventEnvelope } from '@parlance/event-bus';
import { createMetrics, silentLogger, ulidGenerator, type Clock, type IdGenerator, type Metrics } from '@parlance/platform';
import { JobErasures } from '@parlance/runtime';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import { Deliveries } from '../src/deliveries/deliveries.js';
import { DeliveryIntake } from '../src/deliveries/delivery-intake.js';
import { DeliveryMetrics } from '../src/deliveries/delivery-metrics.js';
import { DeliveryQueue } from '../src/deliveries/delivery-queue.js';
import type { WebhookDelivery } from '../src/deliveries/delivery.js';
import { Receivers } from '../src/deliveries/receivers.js';
import { DEFAULT_SCHEDULE_SECONDS } from '../src/deliveries/retry-schedule.js';
import type { AnnouncedType } from '../src/deliveries/webhook-payload.js';
import { SigningSecrets } from '../src/secrets/signing-secrets.js';
import { WebhookSender } from '../src/sending/webhook-sender.js';

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
    this.egress = createEgress({ allow: options.allow ?? ['127.0.0.0/8'] });
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
  readonly metrics: Metrics = createMetrics();

  constructor(
    documents: DocumentDatabase,
    private readonly clock: AdjustableClock,
    ids: IdGenerator,
    egress: Egress,
    { timeoutMs = 10_000, concurrency = 8 }: FixtureOptions,
  ) {
    this.deliveries = new Deliveries(documents, clock);
    this.receivers = new Receivers(documents, clock);
    this.secrets = new SigningSecrets(documents, clock);
    this.erasures = new JobErasures('webhook-dispatcher', documents, this.deliveries, clock);
    this.queue = new DeliveryQueue({
      deliveries: this.deliveries,
      receivers: this.receivers,
      sender: new WebhookSender({ egress, secrets: this.secrets, clock, timeoutMs }),
      metrics: new DeliveryMetrics(this.metrics, () => this.deliveries.countPending()),
      clock,
      log: silentLogger(),
      random: () => 0.5,
      scheduleSeconds: DEFAULT_SCHEDULE_SECONDS,
      timeoutMs,
      concurrency,
    });
    const { deliveries, receivers, erasures } = this;
    this.intake = new DeliveryIntake({ deliveries, receivers, erasures, clock, ids, wake: () => this.queue.wake() });
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
    const page = await this.deliveries.list({ accountId: 'acc_1', jobId, limit: 100 });
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
