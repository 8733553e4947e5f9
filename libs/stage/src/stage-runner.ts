import { inSpan, isFinalFailure, isWaitedFor, stageFailure, type Logger } from '@parlance/platform';
import type { Task, TaskContext, TaskWorker } from '@parlance/task-queue';
import type { JobErasure } from './job-erasure.js';
import type { StageLedger } from './stage-ledger.js';
import type { StageRecord } from './stage-record.js';
import type { JobRun, StageDefinition, StageResult } from './stage.js';
import { withinDeadline } from './within-deadline.js';

interface StageRunnerParts<Facts extends object> {
  ledger: StageLedger<Facts>;
  erasure: JobErasure;
  log: Logger;
}

/** Milliseconds around the work itself. Its own deadline strikes first, and says to the job's owner what took too long. */
const OVERHEAD_MS = 60_000;

/** Performs the leased tasks of one stage. */
export class StageRunner<Facts extends object, Needs extends object> {
  constructor(
    private readonly stage: StageDefinition<Facts, Needs>,
    private readonly parts: StageRunnerParts<Facts>,
  ) {}

  worker(): TaskWorker<JobRun & Needs> {
    const { name: queue, capacity, deadlineMs, retry } = this.stage;
    return {
      queue,
      capacity,
      deadlineMs: deadlineMs + OVERHEAD_MS,
      retry,
      isFinal: isFinalFailure,
      perform: (task, context) => this.perform(task, context),
      giveUp: ({ payload }, error) => this.giveUp(payload, error),
    };
  }

  private async perform({ payload: run, attempt }: Task<JobRun & Needs>, { signal }: TaskContext): Promise<void> {
    const { ledger, erasure } = this.parts;
    try {
      const record = await ledger.begin(this.stage, run);
      if (record) await this.tryRun(run, { record, attempt, signal });
    } finally {
      await erasure.removeIfErased(run);
    }
  }

  private async tryRun(run: JobRun & Needs, { record, attempt, signal }: { record: StageRecord<Facts>; attempt: number; signal: AbortSignal }): Promise<void> {
    const { name, deadlineMs } = this.stage;
    const attributes = { 'parlance.job_id': run.jobId, 'parlance.stage': name, 'parlance.attempt': attempt };
    try {
      const perform = (inTime: AbortSignal) => this.stage.perform(run, { record, attempt, signal: inTime });
      const result = await inSpan(`stage ${name}`, { attributes }, () => withinDeadline(perform, { signal, deadlineMs, what: `The stage ${name}` }));
      signal.throwIfAborted();
      if (result) await this.complete(run, result);
    } catch (error) {
      // The task was removed, taken over, or handed back as the process closes.
      if (signal.aborted) throw error;
      this.parts.log.warn({ ...logFields(run), stage: name, attempt, err: error }, 'stage failed');
      if (!isFinalFailure(error)) await this.wait(run, error);
      throw error;
    }
  }

  private async complete(run: JobRun, { status = 'completed', facts, ...outcome }: StageResult<Facts>): Promise<void> {
    await this.parts.ledger.end(this.stage, run, { status, ...outcome }, facts);
  }

  /** Never hides why the try failed. */
  private async wait(run: JobRun, error: unknown): Promise<void> {
    const { ledger, log } = this.parts;
    await ledger.wait(this.stage, run, isWaitedFor(error) ? 'end of an outage' : 'next try').catch((err: unknown) => log.debug({ ...logFields(run), err }, 'the wait for another try was not stored'));
  }

  /** After the last try, while the lease is this worker's: the job continues without the stage, and a retry may request it. */
  private async giveUp(run: JobRun & Needs, error: unknown): Promise<'settled'> {
    const { ledger, erasure } = this.parts;
    const failure = (this.stage.failure ?? stageFailure)(error);
    try {
      const facts = await this.stage.failed?.(run, failure);
      await ledger.end(this.stage, run, { status: 'failed', error: failure }, facts ?? {});
    } finally {
      await erasure.removeIfErased(run);
    }
    return 'settled';
  }
}

const logFields = ({ jobId, accountId, run }: JobRun) => ({ job_id: jobId, account_id: accountId, run });
