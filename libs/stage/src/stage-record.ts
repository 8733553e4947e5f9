import type { common } from '@parlance/contracts';
import type { Document } from '@parlance/storage';
import type { ErasureMark } from './erasure-mark.js';

/** The end of a run. Stored, so that it can be reported again when the report was lost. */
export interface StageOutcome {
  status: 'completed' | 'skipped' | 'failed';
  error?: common.Failure | undefined;
  engine?: string | undefined;
  warnings?: common.Warning[] | undefined;
}

export type StageWait = 'next try' | 'end of an outage';

export interface StageRun {
  /** The newest run that began, and the newest that ended; 0: none. */
  started: number;
  ended: number;
  /** The outcome of the newest run that ended. */
  outcome?: StageOutcome;
  /** Set while the newest run that began waits: after a failed try until the next one begins. */
  waitsFor?: StageWait | undefined;
  /** The wait that the last report of the newest run says; undefined when it says that the run is at work. */
  reportedWait?: StageWait | undefined;
}

/** The record of a job in one service, for all its stages. The id is the job's. */
export type StageRecord<Facts extends object = object> = JobRecord & Partial<Facts>;

interface JobRecord extends Document {
  accountId: string;
  /** Nothing begins for a job that is canceled or deleted. A deleted one has nothing left but this tombstone. */
  state: 'active' | 'canceled' | 'deleted';
  /** The newest run of the job that failed as a whole; absent: none. */
  failedRun?: number;
  /** By the stage's name. */
  runs: Record<string, StageRun>;
  /** Only a deleted job has it. */
  erasure?: ErasureMark;
}

const NO_RUN: StageRun = { started: 0, ended: 0 };

export const runOfStage = ({ runs }: Pick<StageRecord, 'runs'>, stage: string): StageRun => runs[stage] ?? NO_RUN;

/** True while work for this run of the job is still wanted. */
export const isWanted = ({ state, failedRun = 0 }: Pick<StageRecord, 'state' | 'failedRun'>, run: number): boolean => state === 'active' && failedRun < run;

const NOT_STORED = { code: 'internal', message: 'An internal error occurred.', retryable: true };

/** A stage's runs as versions before the stage kernel stored them: without how they ended. Used to upgrade their documents. */
export const formerRun = ({ started, ended, isCompleted }: { started: number; ended: number; isCompleted: boolean }): StageRun => ({
  started,
  ended,
  ...(ended > 0 && { outcome: isCompleted ? { status: 'completed' } : { status: 'failed', error: NOT_STORED } }),
});
