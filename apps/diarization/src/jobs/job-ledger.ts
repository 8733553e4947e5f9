import { common, type NewEvent } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import type { DocumentCollection } from '@parlance/storage';
import type { JobRecord, Recording, SpeakerResult } from './job-record.js';

export interface JobKey {
  jobId: string;
  accountId: string;
}

export interface JobRun extends JobKey {
  run: number;
}

/** Which jobs want their speakers told apart, and how far that is. Each step is one commit with the event that tells it. */
export class JobLedger {
  constructor(
    private readonly jobs: DocumentCollection<JobRecord>,
    private readonly clock: Clock,
  ) {}

  async get(jobId: string): Promise<JobRecord | undefined> {
    return (await this.jobs.get(jobId))?.document;
  }

  async learn({ jobId, accountId }: JobKey, recording: Recording): Promise<void> {
    await this.jobs.update(jobId, (current = this.newRecord(jobId, accountId)) => {
      if (current.recording && current.recording.run >= recording.run) return undefined;
      return { document: { ...current, recording } };
    });
  }

  /** @returns the job as it is, when the run is wanted and has not ended. */
  async begin({ jobId, accountId, run }: JobRun): Promise<JobRecord | undefined> {
    const { stored } = await this.jobs.update(jobId, (current = this.newRecord(jobId, accountId)) => {
      if (current.state === 'canceled' || current.startedRun >= run) return undefined;
      const data = { jobId, accountId, run, stage: common.Stage.STAGE_DIARIZATION, status: common.StageStatus.STAGE_STATUS_RUNNING, warnings: [] };
      return { document: { ...current, startedRun: run }, events: [{ type: 'stage.started', data }] };
    });
    const record = stored?.document;
    return record?.state === 'active' && record.endedRun < run ? record : undefined;
  }

  /** What is known of the recording already stays: names may have been given to its speakers. */
  async complete(job: JobRun, found: SpeakerResult): Promise<void> {
    await this.end(job, (current) => {
      const result = current.result?.sha256 === found.sha256 ? current.result : found;
      return { document: { ...current, result }, events: [completed(job, result)] };
    });
  }

  /** @returns whether the run has ended, or nobody waits for it; not when nothing is known of the job. */
  fail(job: JobRun, error: common.Failure): Promise<boolean> {
    return this.end(job, (document) => ({ document, events: [failed(job, error)] }));
  }

  async cancel({ jobId }: JobKey): Promise<void> {
    await this.jobs.update(jobId, (current) => (current?.state === 'active' ? { document: { ...current, state: 'canceled' } } : undefined));
  }

  async remove(jobId: string): Promise<void> {
    await this.jobs.remove(jobId);
  }

  /** Once a run. @returns whether there is such a job */
  private async end({ jobId, run }: JobRun, how: (current: JobRecord) => { document: JobRecord; events: NewEvent[] }): Promise<boolean> {
    const { stored } = await this.jobs.update(jobId, (current) => {
      if (current?.state !== 'active' || current.endedRun >= run) return undefined;
      const { document, events } = how(current);
      return { document: { ...document, endedRun: run }, events };
    });
    return stored !== undefined;
  }

  private newRecord(jobId: string, accountId: string): JobRecord {
    return { id: jobId, createdAt: this.clock.now().toISOString(), accountId, state: 'active', startedRun: 0, endedRun: 0 };
  }
}

/** The stage itself ends with the words: transcription tells that. */
const completed = (job: JobRun, { turnsKey, speakerCount, turnCount, engine, warnings }: SpeakerResult): NewEvent => ({
  type: 'diarization.completed',
  data: { ...job, turnsKey, speakerCount, turnCount, engine, warnings },
});

const failed = (job: JobRun, error: common.Failure): NewEvent => ({
  type: 'stage.finished',
  data: { ...job, stage: common.Stage.STAGE_DIARIZATION, status: common.StageStatus.STAGE_STATUS_FAILED, error, warnings: [] },
});
