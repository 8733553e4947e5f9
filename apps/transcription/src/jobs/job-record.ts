import { common } from '@parlance/contracts';
import { formerRun, type StageRecord } from '@parlance/stage';
import type { CollectionDefinition, Document } from '@parlance/storage';

/** Facts that transcription stores of a job besides its runs. */
export interface JobFacts {
  /** From media.ready. */
  media: JobMedia;
  /** From diarization.completed. */
  turns: JobTurns;
}

export interface JobMedia {
  run: number;
  planKey: string;
  chunksTotal: number;
  /** Seconds, as ffprobe says; 0: unknown. */
  duration: number;
  options?: common.JobOptions | undefined;
}

/** A reference to the speaker turns. */
export interface JobTurns {
  run: number;
  turnsKey: string;
  engine: string;
  warnings: common.Warning[];
}

export type JobRecord = StageRecord<JobFacts>;

/** The stages whose ends this service reports: its own, and diarization once the words have their speakers. */
export const TRANSCRIPTION = { name: 'transcription', stage: common.Stage.STAGE_TRANSCRIPTION } as const;
export const DIARIZATION = { name: 'diarization', stage: common.Stage.STAGE_DIARIZATION } as const;

/** Version 1 named the runs of both stages by fields. */
interface FirstVersion extends Document, Partial<JobFacts> {
  accountId: string;
  state: 'active' | 'canceled' | 'deleted';
  startedRun: number;
  failedRun?: number;
  stoppedRun?: number;
  turnsFailedRun?: number;
  erasedAt?: string;
}

export const JOBS: CollectionDefinition<JobRecord> = {
  name: 'jobs',
  data: { what: 'progress of transcription; options, vocabulary and metadata of the job', purpose: 'to transcribe each chunk once', kept: 'with the job' },
  indexes: [],
  schema: { version: 2, upgrade: (document) => upgraded(document as FirstVersion) },
};

const upgraded = ({ startedRun, failedRun = 0, stoppedRun, turnsFailedRun = 0, erasedAt, ...document }: FirstVersion): JobRecord => ({
  ...document,
  runs: {
    [TRANSCRIPTION.name]: formerRun({ started: startedRun, ended: failedRun, isCompleted: false }),
    [DIARIZATION.name]: formerRun({ started: turnsFailedRun, ended: turnsFailedRun, isCompleted: false }),
  },
  ...(stoppedRun !== undefined && { failedRun: stoppedRun }),
  ...(document.state === 'deleted' && { erasure: { count: 0, reported: erasedAt !== undefined } }),
});
