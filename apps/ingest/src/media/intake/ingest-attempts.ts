import { Inject, Injectable } from '@nestjs/common';
import type { common } from '@parlance/contracts';
import { errorCode } from '@parlance/egress';
import { isReportedBy, isWaitedFor, toAppError, type AppError, type Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import type { JobRun } from '@parlance/stage';
import { Scheduler } from '../../jobs/schedule/scheduler.js';
import { JobStore } from '../../jobs/state/job-store.js';
import { isAwaitingAudio, isAwaitingMedia, isAwaitingRedaction, isTerminal, type Job } from '../../jobs/state/job.js';
import { JobMedia } from '../job-media.js';
import { isMediaErrorCode } from '../media-error.js';

/** Attempts at one task of ingest, and how they end. */
@Injectable()
export class IngestAttempts {
  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(Scheduler) private readonly scheduler: Pick<Scheduler, 'remove'>,
    @Inject(JobMedia) private readonly media: JobMedia,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Does the step unless the run has ended or has its media, audio or redacted recording. @throws what the step throws: the queue decides by `isFinalIngestFailure` whether there is another attempt */
  async attempt(run: JobRun, step: (job: Job) => Promise<void>): Promise<void> {
    try {
      const job = await this.jobs.get(run.jobId);
      if (job?.run === run.run && (isAwaitingAudio(job) || isAwaitingRedaction(job))) await step(job);
      else if (!isWanted(job, run.run)) await this.scheduler.remove(run.accountId, run);
      else if (isAwaitingMedia(job)) await step(job);
    } finally {
      await this.media.removeUnneeded(run, await this.jobs.get(run.jobId));
    }
  }

  /** Only for the worker that has the lease: another one may be bringing the media in. */
  async fail({ jobId, accountId, run }: JobRun, error: AppError): Promise<void> {
    const about = { job_id: jobId, account_id: accountId, code: error.code, ...(error.cause !== undefined && { reason: errorCode(error.cause) }) };
    if (isOfTheCaller(error)) this.log.info(about, 'media ingest failed');
    else this.log.warn({ ...about, err: error.cause ?? error }, 'media ingest failed');
    await this.jobs.apply(jobId, { type: 'ingest_failed', run, error: ingestFailure(error) });
  }
}

export const isWanted = (job: Job | undefined, run: number): job is Job => job !== undefined && !isTerminal(job.status) && job.run === run;

/**
 * True when another attempt would fail in the same way: the fetch has made its own tries, and what takes too long or needs more
 * room than there is would do so again. An outage, a defect or a full disk may pass, and so may a step that ignored its abort
 * (handler_timeout).
 */
export function isFinalIngestFailure(thrown: unknown): boolean {
  if (isWaitedFor(thrown)) return false;
  const error = toAppError(thrown);
  const isTooSlow = error.kind === 'timeout' && error.code !== 'handler_timeout';
  return isOfTheCaller(error) || error.code === 'model_unknown' || isTooSlow || (error.code === 'storage_full' && !error.retryable);
}

/** The cause is the caller's: media that cannot be downloaded or read, or an account without time left. */
const isOfTheCaller = ({ code, kind }: AppError): boolean => isMediaErrorCode(code) || code === 'address_forbidden' || kind === 'payment_required';

/** The error as the job's owner sees it. */
export function ingestFailure({ code, kind, message, retryable }: AppError): common.Failure {
  if (isReportedBy('media', code) || isReportedBy('intake', code)) return { code, message, retryable };
  // It was waited for as long as an outage is: the operator has to give more room.
  if (code === 'scratch_busy') return { code: 'storage_full', message, retryable };
  if (kind === 'timeout') return { code: 'media_timeout', message: 'The media could not be downloaded and decoded within the time allowed.', retryable: true };
  return { code: 'internal', message: 'An internal error occurred.', retryable: true };
}
