import type { common } from '@parlance/contracts';
import type { CollectionDefinition, Document } from '@parlance/storage';

/** What transcription knows of a job; once it is canceled or deleted, the tombstone that keeps late work from counting. */
export interface JobRecord extends Document {
  accountId: string;
  state: 'active' | 'canceled' | 'deleted';
  /** The newest run whose first chunk was taken up; 0: none. */
  startedRun: number;
  /** The newest run that failed outside of any chunk. */
  failedRun?: number;
  /** Once media.ready was heard. */
  media?: JobMedia;
  /** Once diarization.completed was heard. */
  turns?: JobTurns;
  /** The newest run in which the turns could not be given to the words. */
  turnsFailedRun?: number;
  /** When the erasure was reported. */
  erasedAt?: string;
}

export interface JobMedia {
  run: number;
  planKey: string;
  chunksTotal: number;
  /** Seconds, as ffprobe says; 0: unknown. */
  duration: number;
  options?: common.JobOptions | undefined;
}

/** Who speaks when, by reference. */
export interface JobTurns {
  run: number;
  turnsKey: string;
  engine: string;
  warnings: common.Warning[];
}

export const JOBS: CollectionDefinition<JobRecord> = { name: 'jobs', indexes: [] };
