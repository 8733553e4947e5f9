import { Inject, Injectable } from '@nestjs/common';
import { AppError, toAppError, type Logger, type RetryPolicy } from '@parlance/platform';
import { DATA_KEYS, LOGGER } from '@parlance/runtime';
import type { JobRun } from '@parlance/stage';
import type { DataKeys } from '@parlance/storage';
import type { TaskWorker } from '@parlance/task-queue';
import { SEAL_QUEUE } from '../jobs/schedule/ingest-queues.js';
import { JobStore } from '../jobs/state/job-store.js';
import { isAwaitingSealing, type Job } from '../jobs/state/job.js';
import { JobMedia } from '../media/job-media.js';
import { SealedResults } from './sealed-results.js';

/** A result of ten hours has some 60 MB in memory while it is sealed. */
const CAPACITY = 2;
const DEADLINE_MS = 10 * 60_000;
/** When these are used up, the upkeep asks again within minutes: the content of a job is not erased before its result is stored. */
const RETRY: RetryPolicy = { maxAttempts: 5, initialDelayMs: 1000, maxDelayMs: 60_000 };

/** Seals the results of jobs whose stages have ended. Killed at any time, it begins again: what it reads is erased only after the result is stored. */
@Injectable()
export class SealingWorker {
  constructor(
    @Inject(JobStore) private readonly jobs: Pick<JobStore, 'get' | 'apply'>,
    @Inject(SealedResults) private readonly results: Pick<SealedResults, 'make'>,
    @Inject(JobMedia) private readonly media: Pick<JobMedia, 'removeWithResult'>,
    @Inject(DATA_KEYS) private readonly keys: Pick<DataKeys, 'find'> | null,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  worker(): TaskWorker<JobRun> {
    return {
      queue: SEAL_QUEUE,
      capacity: CAPACITY,
      deadlineMs: DEADLINE_MS,
      retry: RETRY,
      perform: ({ payload }, { signal }) => this.seal(payload, signal),
      isFinal: isContentErased,
      giveUp: ({ payload }, error) => this.giveUp(payload, error),
    };
  }

  private async seal({ jobId, accountId, run }: JobRun, signal: AbortSignal): Promise<void> {
    const job = await this.jobs.get(jobId);
    if (job?.run !== run || !isAwaitingSealing(job) || job.sealedAt !== undefined) return;
    await this.requireContent(job);
    await this.results.make(job, signal);
    const sealed = await this.jobs.apply(jobId, { type: 'result_sealed', run });
    // The job was deleted or canceled meanwhile: its erasure may have looked for the result before it was there.
    if (sealed?.sealedAt === undefined) await this.media.removeWithResult({ jobId, accountId });
  }
  /** The key of a job whose content was erased stays destroyed, also where a restored database has the job from before. @throws AppError content_erased */
  private async requireContent({ accountId, id }: Job): Promise<void> {
    await this.keys?.find(accountId, id).catch((error: unknown) => {
      throw toAppError(error).code === 'key_destroyed' ? contentErased(error) : error;
    });
  }

  private async giveUp({ jobId, accountId, run }: JobRun, error: unknown): Promise<'settled'> {
    const context = { err: error, job_id: jobId, account_id: accountId };
    if (isContentErased(error)) {
      const { code, message, retryable } = toAppError(error);
      await this.jobs.apply(jobId, { type: 'sealing_failed', run, error: { code, message, retryable } });
      this.log.warn(context, 'the content of a job was erased before its results were sealed; the job failed');
    } else this.log.warn(context, 'the results of a job could not be sealed; this is tried again');
    return 'settled';
  }
}

const contentErased = (cause: unknown) =>
  new AppError({ code: 'content_erased', message: 'The content of the job was erased before its results were sealed, so that there is nothing to seal.', cause });

const isContentErased = (error: unknown): boolean => toAppError(error).code === 'content_erased';
