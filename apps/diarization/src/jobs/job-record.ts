import type { common } from '@parlance/contracts';
import type { CollectionDefinition, Document } from '@parlance/storage';

/** What diarization knows of a job that asked for it. The id is the job's. */
export interface JobRecord extends Document {
  accountId: string;
  state: 'active' | 'canceled';
  /** Once media.ready was heard. */
  recording?: Recording;
  /** The newest run in which the stage began, and in which it ended; 0: none. */
  startedRun: number;
  endedRun: number;
  /** Who speaks when; done once for a recording, told to each run that asks. */
  result?: SpeakerResult;
}

export interface Recording {
  run: number;
  planKey: string;
  /** Of the source: a result counts for the recording it was made from. */
  sha256: string;
  /** Seconds. */
  duration: number;
  minSpeakers?: number | undefined;
  maxSpeakers?: number | undefined;
}

export interface SpeakerResult {
  sha256: string;
  /** Of the turns, in the media store. */
  turnsKey: string;
  speakerCount: number;
  turnCount: number;
  engine: string;
  warnings: common.Warning[];
}

export const JOBS: CollectionDefinition<JobRecord> = { name: 'jobs', indexes: [] };
