import { errorCode } from '@parlance/egress';
import { AppError, toAppError, type Logger, type RetryPolicy } from '@parlance/platform';
import type { JobRun } from '@parlance/stage';
import type { MediaStore } from '@parlance/storage';
import type { Task, TaskContext, TaskWorker } from '@parlance/task-queue';
import type { JobStore } from '../../jobs/state/job-store.js';
import { isAwaitingMedia, isTerminal, type Job } from '../../jobs/state/job.js';
import type { PlannedMedia } from '../../jobs/state/job-input.js';
import { isMediaErrorCode, mediaKeys } from '../index.js';
import type { Scheduler } from '../../jobs/schedule/scheduler.js';
import { ingestFailure } from './ingest-failure.js';
import { IngestProgress } from './ingest-progress.js';
import { DECODE_QUEUE, FETCH_QUEUE, type IngestQueues } from '../../jobs/schedule/ingest-queues.js';
import { jobPrefix } from './job-prefix.js';
import type { FreeTime } from './free-time.js';
import type { MediaIntake } from './media-intake.js';

interface IngestTasksDependencies {
  jobs: JobStore;
  scheduler: Pick<Scheduler, 'remove'>;
  queues: IngestQueues;
  media: MediaStore;
  intake: MediaIntake;
  freeTime: FreeTime;
  /** Downloads, and decodings, at once in this process. */
  places: { fetch: number; decode: number };
  /** Milliseconds that each may take once it has begun. */
  limits: { fetchMs: number; decodeMs: number };
  log: Logger;
}

const RETRY: RetryPolicy = { maxAttempts: 3, initialDelayMs: 1000, maxDelayMs: 10_000 };

/** Milliseconds around the work itself, whose own limits strike first and say to the job's owner what took too long. */
const OVERHEAD_MS = 60_000;

/** The share of fetching in the progress of ingest; the rest is decoding. */
const FETCH_PART = 0.3;

/** Brings a job's media in and makes it ready, picking up what an interrupted try left. */
export class IngestTasks {
  constructor(private readonly dependencies: IngestTasksDependencies) {}

  workers(): TaskWorker<JobRun>[] {
    const { places, limits } = this.dependencies;
    return [
      { ...this.worker(places.fetch, limits.fetchMs), queue: FETCH_QUEUE, perform: (task, context) => this.attempt(task, context, (job, signal) => this.fetch(job, signal)) },
      { ...this.worker(places.decode, limits.decodeMs), queue: DECODE_QUEUE, perform: (task, context) => this.attempt(task, context, (job, signal) => this.prepare(job, signal)) },
    ];
  }

  /** One account has at most half of the places, so that there is room for another while its work stalls. */
  private worker(capacity: number, limitMs: number): Omit<TaskWorker<JobRun>, 'queue' | 'perform'> {
    return {
      capacity,
      limits: [{ nameOf: ({ accountId }) => accountId, part: 0.5, min: Math.ceil(capacity / 2) }],
      deadlineMs: limitMs + OVERHEAD_MS,
      retry: RETRY,
      giveUp: async ({ payload }, error) => {
        await this.fail(payload, toAppError(error));
        return 'settled';
      },
    };
  }

  /** @throws what another try may change; everything else has failed the job. */
  private async attempt({ payload: run }: Task<JobRun>, { signal }: Pick<TaskContext, 'signal'>, step: (job: Job, signal: AbortSignal) => Promise<void>): Promise<void> {
    const { jobs, scheduler } = this.dependencies;
    try {
      const job = await jobs.get(run.jobId);
      if (!isWanted(job, run.run)) await scheduler.remove(run.accountId, run);
      else if (isAwaitingMedia(job)) await step(job, signal);
    } catch (error) {
      // Removed, taken over, or handed back as the process closes.
      if (signal.aborted) throw error;
      const known = toAppError(error);
      if (!isFinal(known)) throw error;
      await this.fail(run, known);
    } finally {
      await this.removeLeftovers(run);
    }
  }

  /** Until its turn has come the job is queued. @returns false when it has ended meanwhile. */
  private async begin({ id, run }: Job): Promise<boolean> {
    const job = await this.dependencies.jobs.apply(id, { type: 'started', run });
    return isWanted(job, run);
  }

  private async fetch(job: Job, signal: AbortSignal): Promise<void> {
    const { jobs, intake, queues } = this.dependencies;
    const { id: jobId, accountId, run, source, limits } = job;
    if (source.kind === 'url' && (await this.mustFetch(job))) {
      if (!(await this.begin(job))) return;
      await this.reporting(job, [0, FETCH_PART], (onProgress) => intake.fetch({ accountId, jobId, signal, limits, url: source.url, onProgress }));
      await jobs.apply(jobId, { type: 'source_fetched', run });
    }
    await queues.add(DECODE_QUEUE, { jobId, accountId, run });
  }

  private async prepare(job: Job, signal: AbortSignal): Promise<void> {
    const { jobs, queues, freeTime } = this.dependencies;
    const { id: jobId, accountId, run } = job;
    const earlier = await this.planOfEarlierRun(job);
    if (!earlier && (await this.mustFetch(job))) return queues.add(FETCH_QUEUE, { jobId, accountId, run });
    if (!(await this.begin(job))) return;
    if (!earlier) return this.decode(job, signal);
    await freeTime({ accountId, jobId, run, seconds: earlier.media.duration });
    await jobs.apply(jobId, { type: 'media_ready', run, ...earlier, warnings: [], samePlan: true });
  }

  private async decode(job: Job, signal: AbortSignal): Promise<void> {
    const { jobs, intake, freeTime, limits: { decodeMs } } = this.dependencies;
    const { id: jobId, accountId, run, limits } = job;
    const { language, vocabulary } = job.options;
    // An earlier try may have ended between the fetch and this.
    await jobs.apply(jobId, { type: 'source_fetched', run });
    const reserveSeconds = (seconds: number) => freeTime({ accountId, jobId, run, seconds });
    const prepared = await this.reporting(job, [FETCH_PART, 1], (onProgress) =>
      within(decodeMs, signal, (either) => intake.prepare({ accountId, jobId, options: { language, vocabulary }, signal: either, limits, reserveSeconds, onProgress })),
    );
    // The reservation by the stated length becomes one by the decoded length.
    await reserveSeconds(prepared.media.duration);
    await jobs.apply(jobId, { type: 'media_ready', run, ...prepared });
  }

  /** Does a step that makes up this part of ingest, and stores how far it is. */
  private async reporting<T>({ id, run }: Job, [from, to]: [number, number], work: (onProgress: (part: number, decodedSeconds?: number) => void) => Promise<T>): Promise<T> {
    const progress = new IngestProgress((part, decodedSeconds) => this.dependencies.jobs.apply(id, { type: 'ingest_progressed', run, part, decodedSeconds }));
    try {
      return await work(progress.between(from, to));
    } catch (error) {
      progress.flush();
      throw error;
    } finally {
      await progress.settled();
    }
  }

  /** A retry redoes only what is missing. @returns undefined when the plan is, or audio of any of its chunks: all is cut anew then */
  private async planOfEarlierRun({ accountId, id, media, chunks }: Job): Promise<PlannedMedia | undefined> {
    const keys = mediaKeys(accountId, id);
    if (!media || chunks.total === 0 || !(await this.dependencies.media.head(keys.plan))) return undefined;
    const kept = new Set<string>();
    for await (const { key } of this.dependencies.media.list(keys.audioPrefix)) kept.add(key);
    for (let index = 0; index < chunks.total; index += 1) if (!kept.has(keys.audio(index))) return undefined;
    return { media, planKey: keys.plan, audioPrefix: keys.audioPrefix, chunksTotal: chunks.total };
  }

  private async mustFetch({ id, accountId, source }: Job): Promise<boolean> {
    return source.kind === 'url' && !(await this.dependencies.media.head(mediaKeys(accountId, id).source));
  }

  private async fail({ jobId, accountId, run }: JobRun, error: AppError): Promise<void> {
    const { jobs, log } = this.dependencies;
    const about = { job_id: jobId, account_id: accountId, code: error.code, ...(error.cause !== undefined && { reason: errorCode(error.cause) }) };
    if (isOfTheCaller(error)) log.info(about, 'media ingest failed');
    else log.warn({ ...about, err: error.cause ?? error }, 'media ingest failed');
    await jobs.apply(jobId, { type: 'ingest_failed', run, error: ingestFailure(error) });
  }

  /** Removes what a job that ended meanwhile does not keep: a deleted job keeps nothing, a canceled one its source, a failed one everything, for a retry. */
  private async removeLeftovers({ accountId, jobId }: JobRun): Promise<void> {
    const { jobs, media } = this.dependencies;
    const job = await jobs.get(jobId);
    if (!job) await media.removePrefix(jobPrefix(accountId, jobId));
    else if (job.status === 'canceled') await media.removePrefix(mediaKeys(accountId, jobId).audioPrefix);
  }
}

const isWanted = (job: Job | undefined, run: number): job is Job => job !== undefined && !isTerminal(job.status) && job.run === run;

/** The fetch has had its own tries, and what took all the time or needs more room than there is would do so again; a defect or a full disk may pass. */
const isFinal = (error: AppError): boolean => isOfTheCaller(error) || error.kind === 'timeout' || (error.code === 'storage_full' && !error.retryable);

/** Nothing is wrong here: the caller gave media that cannot be had or read, or has no time left. */
const isOfTheCaller = (error: AppError): boolean => isOfTheMedia(error) || error.kind === 'payment_required';

const isOfTheMedia = ({ code }: AppError): boolean => isMediaErrorCode(code) || code === 'address_forbidden';

/** @throws AppError timeout/media_timeout when the work does not end in time; the signal's reason when it aborts. */
async function within<T>(milliseconds: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(milliseconds);
  const either = AbortSignal.any([signal, late]);
  try {
    const done = await work(either);
    either.throwIfAborted();
    return done;
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    throw new AppError({ kind: 'timeout', code: 'media_timeout', message: 'The media could not be decoded within the time allowed.', cause: error });
  }
}
