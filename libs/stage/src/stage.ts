import { common, type EventData, type EventType, type NewEvent } from '@parlance/contracts';
import type { TaskWorker } from '@parlance/task-queue';
import type { StageOutcome, StageRecord } from './stage-record.js';

export interface JobRef {
  jobId: string;
  accountId: string;
}

/** One run of a job: 1, and one more with each retry. Reports of an earlier run count for nothing. */
export interface JobRun extends JobRef {
  run: number;
}

interface StageContext<Facts extends object> {
  /** The service's record of the job. */
  record: StageRecord<Facts>;
  /** 1 on the first try of the run. */
  attempt: number;
  /** Aborts when the job was canceled, erased or has failed, the deadline is over, or the process closes. */
  signal: AbortSignal;
}

export interface StageResult<Facts extends object> {
  /** `skipped`: there is nothing to do for this job, which is no failure. `failed`: another try would end alike. Default `completed`. */
  status?: StageOutcome['status'];
  /** Why it was skipped or failed. */
  error?: common.Failure;
  engine?: string;
  warnings?: common.Warning[];
  /** Stored in the record, in the commit that ends the run. */
  facts?: Partial<Facts>;
}

type Awaitable<T> = T | Promise<T>;

/** The events that may start a stage. Each function gives the run to start with all that `perform` needs besides, as ids and keys; undefined when nothing starts. */
export type StartsOn<Needs extends object> = { [K in EventType]?: (data: EventData<K>) => Awaitable<(JobRun & Needs) | undefined> };

/**
 * A stage is a piece of work that a service does once for each run of a job, when an event says that its input is there. A service
 * declares what the work is; begin, retry, failure, cancellation, erasure and the events about them are those of every stage.
 */
export interface StageDefinition<Facts extends object = object, Needs extends object = object> {
  /** The name of its task queue, and its name in records, logs and spans, for instance `diarization`. */
  name: string;
  stage: common.Stage;
  /** Named to the job's owner. */
  engine?: string;
  /** `stage.requested` is for this stage alone: a retry of it, or an event that was lost. */
  startsOn: StartsOn<Needs>;
  /**
   * Does the work. May be called again for the same run after a crash or a failure, and must then give the same.
   * @returns undefined when the job is gone and nobody is to be told
   * @throws what `isFinalFailure` says is final, or what another try may change
   */
  perform(run: JobRun & Needs, context: StageContext<Facts>): Promise<StageResult<Facts> | undefined>;
  /** The events that say that a run is completed. Default: `stage.finished`. */
  completes?(run: JobRun, record: StageRecord<Facts>): NewEvent[];
  /** The failure that the job's owner reads. Default: `stageFailure`. */
  failure?(error: unknown): common.Failure;
  /** Called after the last try, before the failure is stored: what can be kept all the same. @returns facts stored with the failure */
  failed?(run: JobRun & Needs, failure: common.Failure): Promise<Partial<Facts> | void>;
  /** Seconds of audio, for the metrics of the queue. */
  audioSeconds?(run: JobRun & Needs): number;
  /** Milliseconds that one try may take, from when the work starts. */
  deadlineMs: number;
  retry: TaskWorker['retry'];
  /** Runs at once in this process. */
  capacity: number;
}

/** Declares a stage; the types of its facts and needs follow from the declaration. */
export const defineStage = <Facts extends object, Needs extends object = object>(definition: StageDefinition<Facts, Needs>): StageDefinition<Facts, Needs> => definition;

/** The run alone, of an event or a task that says more. */
export const runOf = ({ jobId, accountId, run }: JobRun): JobRun => ({ jobId, accountId, run });

/** True for a job whose tasks run after the normal ones of its account. */
export const isBackground = (options: Pick<common.JobOptions, 'priority'> | undefined): boolean => options?.priority === common.JobPriority.JOB_PRIORITY_BATCH;

/** Tasks of one run of a job are removed together; those of a later run, which a retry may have added meanwhile, are not. */
export const taskGroup = ({ jobId, run }: Pick<JobRun, 'jobId' | 'run'>): string => `${jobId}/${run}`;
