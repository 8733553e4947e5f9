import type { Delivery, FairPlaces, OutboxEvent } from '@parlance/event-bus';
import { AppError, toAppError, type Logger } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import type { JobStore } from '../jobs/job-store.js';
import { isTerminal, type Job } from '../jobs/job.js';
import type { PlannedMedia } from '../jobs/job-input.js';
import { isMediaErrorCode, mediaKeys } from '../media/index.js';
import type { Scheduler } from '../schedule/scheduler.js';
import { ingestFailure } from './ingest-failure.js';
import { IngestProgress } from './ingest-progress.js';
import { jobPrefix } from './job-prefix.js';
import type { FreeTime } from './free-time.js';
import type { MediaIntake } from './media-intake.js';
import type { RunningWork } from './running-work.js';

export interface IngestTaskDependencies {
  jobs: JobStore;
  scheduler: Scheduler;
  media: MediaStore;
  intake: MediaIntake;
  freeTime: FreeTime;
  running: RunningWork;
  /** Fetching waits for media servers, preparing keeps a core busy: each has places of its own. */
  places: { fetch: FairPlaces; prepare: FairPlaces };
  /** Milliseconds that preparing may take, once its turn has come. */
  prepareMs: number;
  log: Logger;
}

interface Task {
  jobId: string;
  accountId: string;
  run: number;
}

interface Signals {
  /** Aborted when the delivery is, or the job has ended. */
  stoppable: AbortSignal;
  delivery: AbortSignal;
  draining: AbortSignal;
}

/** Answers ingest.requested: brings a job's media in and makes it ready, picking up what an interrupted try left. */
export class IngestTask {
  constructor(private readonly dependencies: IngestTaskDependencies) {}

  /** @throws what another try may mend; everything else has failed the job. */
  async handle({ event, signal, draining }: Delivery<'ingest.requested'>): Promise<void> {
    const { jobId, accountId, run } = event.data;
    // Registered before the job is read: a job that ends from now on stops this work.
    await this.dependencies.running.run(jobId, signal, (stoppable) => this.ingest({ jobId, accountId, run }, { stoppable, delivery: signal, draining }));
  }

  /** The last try has failed. */
  async giveUp(event: OutboxEvent, error: unknown): Promise<void> {
    if (event.type === 'ingest.requested') await this.fail(event.data, toAppError(error));
  }

  private async ingest(task: Task, signals: Signals): Promise<void> {
    const { jobs, scheduler } = this.dependencies;
    const job = await jobs.get(task.jobId);
    if (isWanted(job, task.run)) {
      if (!isAwaitingMedia(job)) return;
      await this.attempt(task, job, signals);
    } else await scheduler.remove(task.accountId, task);
    await this.removeLeftovers(task);
  }

  private async attempt(task: Task, job: Job, signals: Signals): Promise<void> {
    try {
      await this.bringIn(job, signals);
    } catch (error) {
      const { stoppable, delivery, draining } = signals;
      if (draining.aborted && error === draining.reason) throw error;
      if (stoppable.aborted && !delivery.aborted) return await this.stopped(task);
      const known = toAppError(delivery.aborted ? delivery.reason : error);
      if (isFinal(known)) await this.fail(task, known);
      else throw error;
    }
  }

  /**
   * When the job has ended, what its work says on the way out is of no interest.
   * @throws AppError unavailable/internal when only an earlier run has, and its late event stopped this one: it is to be tried again.
   */
  private async stopped({ jobId, run }: Task): Promise<void> {
    if (!isWanted(await this.dependencies.jobs.get(jobId), run)) return;
    throw new AppError({ kind: 'unavailable', code: 'internal', message: 'The end of an earlier run stopped this one.' });
  }

  private async bringIn(job: Job, { stoppable: signal, draining }: Signals): Promise<void> {
    const { id: jobId, accountId, run } = job;
    const { jobs, places, freeTime } = this.dependencies;
    const earlier = await this.planOfEarlierRun(job);
    if (earlier) {
      await this.begin(job);
      await freeTime({ accountId, jobId, run, seconds: earlier.media.duration });
      return void (await jobs.apply(jobId, { type: 'media_ready', run, ...earlier, warnings: [], samePlan: true }));
    }
    // Who only waits for a place has nothing to finish when the process is to end.
    const waiting = AbortSignal.any([signal, draining]);
    const progress = new IngestProgress((part) => jobs.apply(jobId, { type: 'ingest_progressed', run, part }));
    try {
      if (await this.mustFetch(job)) await places.fetch.run(accountId, waiting, () => this.fetch(job, signal, progress.between(0, FETCH_PART)));
      await places.prepare.run(accountId, waiting, () => this.prepare(job, signal, progress.between(FETCH_PART, 1)));
    } finally {
      await progress.settled();
    }
  }

  /** Until its turn has come the job is queued. @returns false when it has ended meanwhile. */
  private async begin({ id, run }: Job): Promise<boolean> {
    const job = await this.dependencies.jobs.apply(id, { type: 'started', run });
    return isWanted(job, run);
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

  private async fetch(job: Job, signal: AbortSignal, onProgress: (part: number) => void): Promise<void> {
    const { jobs, intake } = this.dependencies;
    const { id: jobId, accountId, run, source, limits } = job;
    if (source.kind !== 'url' || !(await this.begin(job))) return;
    await intake.fetch({ accountId, jobId, signal, limits, url: source.url, onProgress });
    await jobs.apply(jobId, { type: 'source_fetched', run });
  }

  private async prepare(job: Job, signal: AbortSignal, onProgress: (part: number) => void): Promise<void> {
    const { jobs, intake, freeTime, prepareMs } = this.dependencies;
    const { id: jobId, accountId, run, limits } = job;
    const { language, vocabulary } = job.options;
    if (!(await this.begin(job))) return;
    // An earlier try may have ended between the fetch and this.
    await jobs.apply(jobId, { type: 'source_fetched', run });
    const prepared = await within(prepareMs, signal, (either) => intake.prepare({ accountId, jobId, options: { language, vocabulary }, signal: either, limits, onProgress }));
    await freeTime({ accountId, jobId, run, seconds: prepared.media.duration });
    await jobs.apply(jobId, { type: 'media_ready', run, ...prepared });
  }

  private async fail({ jobId, accountId, run }: Task, error: AppError): Promise<void> {
    const { jobs, log } = this.dependencies;
    const about = { job_id: jobId, account_id: accountId, code: error.code };
    if (isOfTheCaller(error)) log.info(about, 'the media cannot be brought in');
    else log.warn({ ...about, err: error.cause ?? error }, 'the media cannot be brought in');
    await jobs.apply(jobId, { type: 'ingest_failed', run, error: ingestFailure(error) });
  }

  /** Of a job that has ended meanwhile. Deleted, it keeps nothing; canceled, its source; failed, all, for a retry. */
  private async removeLeftovers({ accountId, jobId }: Task): Promise<void> {
    const { jobs, media } = this.dependencies;
    const job = await jobs.get(jobId);
    if (!job) await media.removePrefix(jobPrefix(accountId, jobId));
    else if (job.status === 'canceled') await media.removePrefix(mediaKeys(accountId, jobId).audioPrefix);
  }
}

/** Of ingest's time; the rest is decoding. */
const FETCH_PART = 0.3;

const isWanted = (job: Job | undefined, run: number): job is Job => job !== undefined && !isTerminal(job.status) && job.run === run;
const isAwaitingMedia = ({ stages }: Job): boolean => stages.transcription.status === 'pending';

/** The fetch has had its own tries, and what took all the time there is would take it again; a defect or a full disk may mend. */
const isFinal = (error: AppError): boolean => isOfTheCaller(error) || error.kind === 'timeout';

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
    throw new AppError({ kind: 'timeout', code: 'media_timeout', message: 'The media could not be decoded in the time allowed.', cause: error });
  }
}
