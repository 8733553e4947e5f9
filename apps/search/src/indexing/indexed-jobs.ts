import { common, type NewEvent } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import type { DocumentCollection, Page } from '@parlance/storage';
import type { IndexedJobRecord } from './indexed-job.js';
import type { JobRef } from './transcript-source.js';

export interface JobRun extends JobRef {
  run: number;
}

/** What is in the index of a job, whose vectors. */
export type IndexedPassages = Pick<IndexedJobRecord, 'passages' | 'embedder'>;

/** Which jobs are wanted and indexed, and how their stage stands; each change is one commit with the event that tells of it. */
export class IndexedJobs {
  constructor(
    private readonly jobs: DocumentCollection<IndexedJobRecord>,
    private readonly clock: Clock,
    private readonly engine: string,
  ) {}

  async get(jobId: string): Promise<IndexedJobRecord | undefined> {
    return (await this.jobs.get(jobId))?.document;
  }

  async isWanted(jobId: string): Promise<boolean> {
    return (await this.get(jobId))?.state === 'active';
  }

  /** @returns whether the run's stage is to be done: not when it is over, or the job canceled. */
  async begin(job: JobRun): Promise<boolean> {
    const { stored } = await this.jobs.update(job.jobId, (current = this.newRecord(job)) => {
      if (current.state !== 'active' || current.startedRun >= job.run) return undefined;
      return { document: { ...current, startedRun: job.run }, events: [this.stageEvent('stage.started', job, common.StageStatus.STAGE_STATUS_RUNNING)] };
    });
    return stored?.document.state === 'active' && stored.document.finishedRun < job.run;
  }

  /** What the index has now, told as the end of the run's stage, once. */
  async complete(job: JobRun, indexed: IndexedPassages): Promise<void> {
    await this.finish(job, common.StageStatus.STAGE_STATUS_COMPLETED, indexed);
  }

  /** @param indexed what the index has all the same; @returns whether the run has ended, or nobody waits for it; not when nothing is known of the job */
  fail(job: JobRun, error: common.Failure, indexed: IndexedPassages | undefined): Promise<boolean> {
    return this.finish(job, common.StageStatus.STAGE_STATUS_FAILED, indexed ?? {}, error);
  }

  /** What the index has after a change that no stage asked for. */
  async reindexed(jobId: string, indexed: IndexedPassages): Promise<void> {
    await this.jobs.update(jobId, (current) => current && { document: { ...current, ...indexed } });
  }

  async cancel(job: JobRef): Promise<void> {
    await this.jobs.update(job.jobId, (current = this.newRecord(job)) =>
      current.state === 'canceled' || current.finishedRun > 0 ? undefined : { document: { ...current, state: 'canceled' } },
    );
  }

  remove(jobId: string): Promise<boolean> {
    return this.jobs.remove(jobId);
  }

  /** Whether the account has passages with vectors of this engine. */
  async hasVectors(accountId: string, embedder: string): Promise<boolean> {
    const { items } = await this.jobs.find({ where: { accountId, embedder }, limit: 1 });
    return items.length > 0;
  }

  count(embedder: string): Promise<number> {
    return this.jobs.count({ embedder });
  }

  /** Jobs whose vectors are of this engine, the oldest first. */
  ofEngine(embedder: string, cursor: string | undefined): Promise<Page<IndexedJobRecord>> {
    return this.jobs.find({ where: { embedder }, direction: 'ascending', limit: 100, ...(cursor !== undefined && { cursor }) });
  }

  private async finish(job: JobRun, status: common.StageStatus, indexed: Partial<IndexedPassages>, error?: common.Failure): Promise<boolean> {
    const { stored } = await this.jobs.update(job.jobId, (current) => {
      if (!current || current.state !== 'active') return undefined;
      if (current.finishedRun >= job.run) return { document: { ...current, ...indexed } };
      return { document: { ...current, ...indexed, finishedRun: job.run }, events: [this.stageEvent('stage.finished', job, status, error)] };
    });
    return stored !== undefined;
  }

  private stageEvent(type: 'stage.started' | 'stage.finished', { jobId, accountId, run }: JobRun, status: common.StageStatus, error?: common.Failure): NewEvent {
    return { type, data: { jobId, accountId, run, stage: common.Stage.STAGE_SEARCH, status, error, engine: this.engine, warnings: [] } };
  }

  private newRecord({ jobId, accountId }: JobRef): IndexedJobRecord {
    return { id: jobId, createdAt: this.clock.now().toISOString(), accountId, state: 'active', startedRun: 0, finishedRun: 0, passages: 0, embedder: '' };
  }
}
