import { common, events, type EventType } from '@parlance/contracts';
import type { Delivery, OutboxEvent } from '@parlance/event-bus';
import type { Task, TaskWorker, Working } from '@parlance/task-queue';
import { taskGroup, type JobRun } from '../stage.js';
import { eventually } from '@parlance/platform/contract';
import type { StageStores } from './stage-stores.js';
import type { StageUnderTest } from './stage-under-test.js';

const { STAGE_STATUS_FAILED, STAGE_STATUS_PENDING, STAGE_STATUS_RUNNING } = common.StageStatus;

const HOUR_MS = 3_600_000;

export const runOfJob = (jobId: string, run = 1): JobRun => ({ jobId, accountId: 'acc_1', run });

/** Delivers events to the stage, runs its worker, and reads what it reports. */
export class StageFixture {
  private opened: (StageUnderTest & Pick<StageStores, 'documents' | 'tasks'>) | undefined;
  private stores: StageStores | undefined;
  private working: Working[] = [];
  private readonly abandoned: Promise<unknown>[] = [];

  constructor(
    private readonly openStores: () => Promise<StageStores>,
    private readonly open: (stores: StageStores) => Promise<StageUnderTest>,
  ) {}

  async setUp(): Promise<void> {
    this.stores = await this.openStores();
    const { documents, tasks } = this.stores;
    this.opened = { ...(await this.open(this.stores)), documents, tasks };
  }

  async tearDown(): Promise<void> {
    this.stage.engine.releaseAll();
    await this.endWork();
    await Promise.all(this.abandoned.splice(0));
    await this.stage.close?.();
    await this.stores?.close();
  }

  get stage(): StageUnderTest & Pick<StageStores, 'documents' | 'tasks'> {
    if (!this.opened) throw new Error('the stage is not open');
    return this.opened;
  }

  async start(run: JobRun): Promise<void> {
    await this.deliver(await this.stage.startEvent(run));
  }

  async tell(type: 'job.canceled' | 'job.failed' | 'job.deleted', run: JobRun, occurredAt = new Date(0)): Promise<void> {
    await this.deliver({ type, data: events.JobEvent.fromPartial({ ...run, erasureId: 'era_1', occurredAt }) });
  }

  /** Ingest asks for the stage: a retry of it, or nothing was reported. */
  async request(run: JobRun): Promise<void> {
    const { data } = await this.stage.startEvent(run);
    const { definition } = this.stage;
    await this.deliver({ type: 'stage.requested', data: events.StageRequested.fromPartial({ ...(data as object), ...run, stage: definition.stage }) });
  }

  async work(): Promise<void> {
    for (const worker of this.stage.stages.workers()) this.working.push(await this.stage.tasks.work(worker));
  }

  /** Lets what waits and runs come to its end, and stops the worker. */
  async endWork(): Promise<void> {
    await eventually(async () => {
      const { waiting, running } = await this.stage.tasks.backlog(this.stage.definition.name);
      return this.working.length === 0 || waiting + running === 0;
    }, 'the queue to be empty');
    for (const working of this.working.splice(0)) await working.close();
  }

  engineCalled(jobId: string): Promise<unknown> {
    return eventually(() => this.stage.engine.callsOf(jobId).length > 0, `the engine to be called for ${jobId}`);
  }

  completion(jobId: string): Promise<unknown> {
    return eventually(async () => (await this.completed(jobId)).length > 0, `the end of ${jobId}`);
  }

  /** Performs the run as a process does that has its lease, apart from the queue: one that is killed, or paused until it lost the lease. */
  async perform(run: JobRun, signal = new AbortController().signal): Promise<unknown> {
    const payload = await this.payloadOf(run);
    const task = { id: taskGroup(run), accountId: run.accountId, group: taskGroup(run), payload, attempt: 1, enqueuedAt: new Date(), fencingToken: 1 } as Task;
    return this.worker.perform(task, { signal, draining: new AbortController().signal, maxAttempts: 3 });
  }

  /** Performs the run as a process does whose task the queue no longer has: its engine is held, and released at the end of the test. */
  performUntilTearDown(run: JobRun): void {
    this.abandoned.push(this.perform(run).catch(() => undefined));
  }

  /** Does the work of the run as a process does that is killed right after it has stored the result. */
  async performUntilKilled(run: JobRun): Promise<unknown> {
    const { definition, stages } = this.stage;
    const payload = await this.payloadOf(run);
    const record = await stages.ledger.begin(definition, run);
    if (!payload || !record) throw new Error('the run does not begin');
    return definition.perform(payload, { record, attempt: 1, signal: new AbortController().signal });
  }

  /** Loses the task of the run, as the restore of an older backup does. */
  async loseTask(run: JobRun): Promise<void> {
    await this.stage.tasks.removeGroup(this.stage.definition.name, taskGroup(run));
  }

  /** Makes the task of the run a dead one, as a defect in reporting its failure does. */
  async killTask(): Promise<void> {
    const { tasks, definition } = this.stage;
    const perform = () => Promise.reject(new Error('a defect'));
    const working = await tasks.work({ queue: definition.name, capacity: 1, deadlineMs: 60_000, retry: { maxAttempts: 1, initialDelayMs: 1, maxDelayMs: 1 }, perform });
    await eventually(async () => (await tasks.backlog(definition.name)).dead === 1, 'the dead task');
    await working.close();
  }

  /** Works until the erasures of this service have been repeated for the last time. */
  async repeatErasures(): Promise<void> {
    const { tasks } = this.stage;
    const queues = this.stage.stages.workers().map(({ queue }) => queue).filter((queue) => queue !== this.stage.definition.name);
    await this.work();
    this.stores?.passTime(2 * HOUR_MS);
    await eventually(async () => {
      const backlogs = await Promise.all(queues.map((queue) => tasks.backlog(queue)));
      return backlogs.every(({ waiting, delayed, running }) => waiting + delayed + running === 0);
    }, 'the repeated erasures');
    await this.endWork();
  }

  /** Every event stored so far about the job, in order. */
  async events(jobId: string): Promise<OutboxEvent[]> {
    const pending = await this.stage.documents.outbox.pending(1000);
    return pending.flatMap(({ events: stored }) => stored).filter(({ data }) => (data as { jobId?: string }).jobId === jobId);
  }

  async started(jobId: string): Promise<number[]> {
    return (await this.startReports(jobId)).filter(({ status }) => status === STAGE_STATUS_RUNNING).map(({ run }) => run);
  }

  /** The reports that the stage waits for another try. */
  async waits(jobId: string): Promise<number[]> {
    return (await this.startReports(jobId)).filter(({ status }) => status === STAGE_STATUS_PENDING).map(({ run }) => run);
  }

  async completed(jobId: string): Promise<number[]> {
    const ended = await this.ofStage(this.stage.completedBy ?? 'stage.finished', jobId);
    return ended.filter(({ data }) => (data as Partial<events.StageEvent>).status !== STAGE_STATUS_FAILED).map(({ data }) => (data as JobRun).run);
  }

  async failures(jobId: string): Promise<{ run: number; code: string | undefined }[]> {
    const ended = (await this.ofStage('stage.finished', jobId)).map(({ data }) => data as events.StageEvent);
    return ended.filter(({ status }) => status === STAGE_STATUS_FAILED).map(({ run, error }) => ({ run, code: error?.code }));
  }

  async receipts(jobId: string): Promise<events.ErasureReported[]> {
    return (await this.events(jobId)).filter(({ type }) => type === 'erasure.reported').map(({ data }) => data as events.ErasureReported);
  }

  private async payloadOf(run: JobRun): Promise<JobRun | undefined> {
    const { type, data } = await this.stage.startEvent(run);
    return (this.stage.definition.startsOn[type] as (data: unknown) => Promise<JobRun | undefined>)(data);
  }

  private async startReports(jobId: string): Promise<events.StageEvent[]> {
    return (await this.ofStage('stage.started', jobId)).map(({ data }) => data as events.StageEvent);
  }

  private get worker(): TaskWorker {
    const { stages, definition } = this.stage;
    const worker = stages.workers().find(({ queue }) => queue === definition.name);
    if (!worker) throw new Error('the stage has no worker');
    return worker;
  }

  private async ofStage(type: EventType, jobId: string): Promise<OutboxEvent[]> {
    const { stage } = this.stage.definition;
    return (await this.events(jobId)).filter((event) => event.type === type && ((event.data as { stage?: common.Stage }).stage ?? stage) === stage);
  }

  private async deliver({ type, data }: Pick<OutboxEvent, 'type' | 'data'>): Promise<void> {
    const signal = new AbortController().signal;
    const event = { id: `evt_${type}`, type, source: 'contract', time: new Date().toISOString(), key: 'job', data };
    for (const { handlers } of this.stage.stages.consumers()) {
      const handle = handlers[type] as ((delivery: unknown) => Promise<void>) | undefined;
      await handle?.({ event, attempt: 1, maxAttempts: 5, signal, draining: signal } as unknown as Delivery);
    }
  }
}
