import type { NewEvent } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import type { CollectionDefinition, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { isUnanswered } from './erasure-mark.js';
import { JobTombstones } from './job-tombstones.js';
import { stageFinished, stageStarted } from './stage-events.js';
import { isWanted, runOfStage, type StageOutcome, type StageRecord, type StageRun, type StageWait } from './stage-record.js';
import { runOf, type JobRef, type JobRun, type StageDefinition } from './stage.js';

const NOT_WAITING = { waitsFor: undefined, reportedWait: undefined } satisfies Partial<StageRun>;

/** The parts of a stage's definition that the ledger uses. */
type LedgerStage<Facts extends object> = Pick<StageDefinition<Facts>, 'name' | 'stage' | 'engine' | 'completes'>;

/** Which runs of a job's stages began and ended. Each change is one commit with the event that reports it. */
export class StageLedger<Facts extends object = object> {
  readonly records: DocumentCollection<StageRecord<Facts>>;
  /** Tombstones of versions before the stage kernel. */
  private readonly formerTombstones: JobTombstones;

  constructor(
    documents: DocumentDatabase,
    definition: CollectionDefinition<StageRecord<Facts>>,
    private readonly clock: Clock,
  ) {
    this.records = documents.collection(definition);
    this.formerTombstones = new JobTombstones(documents, clock);
  }

  async get(jobId: string): Promise<StageRecord<Facts> | undefined> {
    const stored = await this.records.get(jobId);
    return stored?.document ?? (await this.formerTombstone(jobId));
  }

  /** True for a deleted job: nothing may be stored about it any more. */
  async isErased(jobId: string): Promise<boolean> {
    return (await this.get(jobId))?.state === 'deleted';
  }

  /** Stores what an event says of the job. @returns the record afterwards */
  async learn(job: JobRef, change: (known: StageRecord<Facts>) => Partial<Facts> | undefined): Promise<StageRecord<Facts>> {
    return this.change(job, (current) => {
      const facts = current.state === 'active' ? change(current) : undefined;
      return facts && { document: { ...current, ...facts } };
    });
  }

  /**
   * Begins a try of the run. In an outage it is reported only when ingest asks: most of these tries fail at once.
   * @returns undefined when the run is not to be worked on: it has ended, a later one began, or the job does not want it.
   */
  async begin(stage: LedgerStage<Facts>, run: JobRun): Promise<StageRecord<Facts> | undefined> {
    const record = await this.change(run, (current) => {
      const { started, ended, waitsFor } = runOfStage(current, stage.name);
      const isNextTry = started === run.run && ended < run.run && waitsFor !== undefined;
      if (!isWanted(current, run.run) || (started >= run.run && !isNextTry)) return undefined;
      if (isNextTry && waitsFor === 'end of an outage') return { document: withRun(current, stage.name, { waitsFor: undefined }) };
      return { document: withRun(current, stage.name, { started: run.run, ...NOT_WAITING }), events: [stageStarted(stage, runOf(run))] };
    });
    const { started, ended } = runOfStage(record, stage.name);
    return isWanted(record, run.run) && started === run.run && ended < run.run ? record : undefined;
  }

  /** Stores and reports that a try of the run failed and that it waits for another one. An outage is reported once, not with each of its tries. */
  async wait(stage: LedgerStage<Facts>, run: JobRun, waitsFor: StageWait): Promise<void> {
    await this.change(run, (current) => {
      const { started, ended, reportedWait } = runOfStage(current, stage.name);
      if (!isWanted(current, run.run) || started !== run.run || ended >= run.run) return undefined;
      const events = reportedWait === waitsFor ? [] : [stageStarted(stage, runOf(run), true)];
      return { document: withRun(current, stage.name, { waitsFor, reportedWait: waitsFor }), events };
    });
  }

  /** Ends the run, once; nothing is stored or reported for a job that does not want it. */
  async end(stage: LedgerStage<Facts>, run: JobRun, outcome: StageOutcome, facts: Partial<Facts> = {}): Promise<void> {
    await this.change(run, (current) => {
      const { started, ended } = runOfStage(current, stage.name);
      if (!isWanted(current, run.run) || ended >= run.run) return undefined;
      const document = withRun({ ...current, ...facts }, stage.name, { started: Math.max(started, run.run), ended: run.run, outcome, ...NOT_WAITING });
      return { document, events: endEvents(stage, run, document) };
    });
  }

  /** Reports what is stored of the run once more, as the report may be lost. @returns whether the run has ended */
  async reportAgain(stage: LedgerStage<Facts>, run: JobRun): Promise<boolean> {
    const record = await this.change(run, (current) => {
      const { started, ended, waitsFor } = runOfStage(current, stage.name);
      if (!isWanted(current, run.run) || started !== run.run) return undefined;
      if (ended === run.run) return { document: current, events: endEvents(stage, run, current) };
      return { document: withRun(current, stage.name, { reportedWait: waitsFor }), events: [stageStarted(stage, runOf(run), waitsFor !== undefined)] };
    });
    return runOfStage(record, stage.name).ended >= run.run;
  }

  /** Remembered also for a job of which nothing is known yet: the event that starts a stage may come later. */
  async cancel(job: JobRef): Promise<void> {
    await this.change(job, (current) => (current.state === 'active' ? { document: { ...current, state: 'canceled' } } : undefined));
  }

  /** The job failed as a whole in this run; a retry makes a later one. */
  async failRun({ run, ...job }: JobRun): Promise<void> {
    await this.change(job, (current) => (isWanted(current, run) ? { document: { ...current, failedRun: run } } : undefined));
  }

  /** Leaves nothing of the record but the tombstone. @param count of what there is to erase, kept from the first time */
  async bury(job: JobRef, count: number): Promise<void> {
    await this.change(job, (current) => {
      if (current.state === 'deleted' && current.erasure) return undefined;
      const { id, createdAt } = current;
      return { document: { id, createdAt, accountId: job.accountId, state: 'deleted', runs: {}, erasure: { count, reported: false } } as unknown as StageRecord<Facts> };
    });
  }

  /** Reports once for each `job.deleted` that ingest publishes. @param events gets the count */
  async reportErasure(job: JobRef, askedAt: string, events: (count: number) => NewEvent[]): Promise<void> {
    await this.change(job, (current) => {
      if (!current.erasure || !isUnanswered(current.erasure, askedAt)) return undefined;
      return { document: { ...current, erasure: { ...current.erasure, reported: true, askedAt } }, events: events(current.erasure.count) };
    });
  }

  private async change(
    { jobId, accountId }: JobRef,
    change: (current: StageRecord<Facts>) => { document: StageRecord<Facts>; events?: NewEvent[] } | undefined,
  ): Promise<StageRecord<Facts>> {
    const { stored: known } = await this.records.update(jobId, (current) => current && change(current));
    if (known) return known.document;
    const unknown = (await this.formerTombstone(jobId)) ?? this.newRecord({ jobId, accountId });
    const { stored } = await this.records.update(jobId, (current = unknown) => change(current));
    return stored?.document ?? unknown;
  }

  private newRecord({ jobId, accountId }: JobRef): StageRecord<Facts> {
    return { id: jobId, createdAt: this.clock.now().toISOString(), accountId, state: 'active', runs: {} } as unknown as StageRecord<Facts>;
  }

  private async formerTombstone(jobId: string): Promise<StageRecord<Facts> | undefined> {
    const former = await this.formerTombstones.get(jobId);
    if (!former) return undefined;
    const { id, createdAt, count, reported } = former;
    return { id, createdAt, accountId: '', state: 'deleted', runs: {}, erasure: { count, reported } } as unknown as StageRecord<Facts>;
  }
}

const withRun = <Facts extends object>(record: StageRecord<Facts>, stage: string, run: Partial<StageRun>): StageRecord<Facts> => ({
  ...record,
  runs: { ...record.runs, [stage]: { ...runOfStage(record, stage), ...run } },
});

function endEvents<Facts extends object>(stage: LedgerStage<Facts>, run: JobRun, record: StageRecord<Facts>): NewEvent[] {
  const outcome = runOfStage(record, stage.name).outcome ?? { status: 'completed' };
  if (outcome.status === 'completed' && stage.completes) return stage.completes(runOf(run), record);
  return [stageFinished(stage, runOf(run), outcome)];
}
