import { common, type NewEvent } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import type { DocumentCollection } from '@parlance/storage';
import type { JobMedia, JobRecord, JobTurns } from './job-record.js';

interface JobKey {
  jobId: string;
  accountId: string;
}

/** Which jobs are still wanted, and what their media is. */
export class JobLedger {
  constructor(
    private readonly jobs: DocumentCollection<JobRecord>,
    private readonly clock: Clock,
  ) {}

  async get(jobId: string): Promise<JobRecord | undefined> {
    return (await this.jobs.get(jobId))?.document;
  }

  async isDeleted(jobId: string): Promise<boolean> {
    return (await this.get(jobId))?.state === 'deleted';
  }

  /** The stage begins with the run's first chunk, if the job is active. @returns its state. */
  async begin({ jobId, accountId, run }: JobKey & { run: number }): Promise<JobRecord['state']> {
    const { stored } = await this.jobs.update(jobId, (current = this.newRecord(jobId, accountId)) => {
      if (current.state !== 'active' || current.startedRun >= run) return undefined;
      return { document: { ...current, startedRun: run }, events: [stageStarted({ jobId, accountId, run })] };
    });
    return stored?.document.state ?? 'active';
  }

  async learnMedia({ jobId, accountId }: JobKey, media: JobMedia): Promise<void> {
    await this.jobs.update(jobId, (current = this.newRecord(jobId, accountId)) => {
      if (current.state !== 'active' || (current.media && current.media.run >= media.run)) return undefined;
      return { document: { ...current, media } };
    });
  }

  async learnTurns({ jobId, accountId }: JobKey, turns: JobTurns): Promise<void> {
    await this.jobs.update(jobId, (current = this.newRecord(jobId, accountId)) => {
      if (current.state !== 'active' || (current.turns && current.turns.run >= turns.run)) return undefined;
      return { document: { ...current, turns } };
    });
  }

  /** Tells the job, once a run, that its words get no speakers. */
  async failTurns({ jobId, accountId, run }: JobKey & { run: number }, error: common.Failure): Promise<void> {
    await this.jobs.update(jobId, (current = this.newRecord(jobId, accountId)) => {
      if (current.state !== 'active' || (current.turnsFailedRun ?? 0) >= run) return undefined;
      const data = { jobId, accountId, run, stage: common.Stage.STAGE_DIARIZATION, status: common.StageStatus.STAGE_STATUS_FAILED, error, warnings: [] };
      return { document: { ...current, turnsFailedRun: run }, events: [{ type: 'stage.finished', data }] };
    });
  }

  /** Tells the job that its stage failed, once a run. */
  async fail({ jobId, accountId, run }: JobKey & { run: number }, error: common.Failure): Promise<void> {
    await this.jobs.update(jobId, (current = this.newRecord(jobId, accountId)) => {
      if (current.state !== 'active' || (current.failedRun ?? 0) >= run) return undefined;
      const data = { jobId, accountId, run, stage: common.Stage.STAGE_TRANSCRIPTION, status: common.StageStatus.STAGE_STATUS_FAILED, error, warnings: [] };
      return { document: { ...current, failedRun: run }, events: [{ type: 'stage.finished', data }] };
    });
  }

  async cancel({ jobId, accountId }: JobKey): Promise<void> {
    await this.jobs.update(jobId, (current = this.newRecord(jobId, accountId)) =>
      current.state === 'active' ? { document: { ...current, state: 'canceled' } } : undefined,
    );
  }

  /** Leaves nothing of the record but the tombstone. */
  async delete({ jobId, accountId }: JobKey): Promise<void> {
    await this.jobs.update(jobId, (current = this.newRecord(jobId, accountId)) => {
      if (current.state === 'deleted') return undefined;
      return { document: { id: jobId, createdAt: current.createdAt, accountId, state: 'deleted', startedRun: 0 } };
    });
  }

  /** Once per job. */
  async reportErasure({ jobId, accountId }: JobKey, erasureId: string, count: number): Promise<void> {
    const erasedAt = this.clock.now();
    await this.jobs.update(jobId, (current) => {
      if (current === undefined || current.erasedAt !== undefined) return undefined;
      const data = { erasureId, jobId, accountId, what: 'transcript', where: 'transcription', count, erasedAt };
      return { document: { ...current, erasedAt: erasedAt.toISOString() }, events: [{ type: 'erasure.reported', data }] };
    });
  }

  private newRecord(jobId: string, accountId: string): JobRecord {
    return { id: jobId, createdAt: this.clock.now().toISOString(), accountId, state: 'active', startedRun: 0 };
  }
}

const stageStarted = (key: JobKey & { run: number }): NewEvent => ({
  type: 'stage.started',
  data: { ...key, stage: common.Stage.STAGE_TRANSCRIPTION, status: common.StageStatus.STAGE_STATUS_RUNNING, warnings: [] },
});
