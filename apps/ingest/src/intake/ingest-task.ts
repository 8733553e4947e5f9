import type { Delivery, OutboxEvent } from '@parlance/event-bus';
import { AppError, toAppError, type Logger } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import type { JobStore } from '../jobs/job-store.js';
import type { Job } from '../jobs/job.js';
import type { PlannedMedia } from '../jobs/job-input.js';
import { mediaKeys } from '../media/index.js';
import type { Scheduler } from '../schedule/scheduler.js';
import { ingestFailure } from './ingest-failure.js';
import { IngestProgress } from './ingest-progress.js';
import { jobPrefix } from './job-prefix.js';
import type { MediaIntake } from './media-intake.js';
import type { RunningWork } from './running-work.js';

export interface IngestTaskDependencies {
  jobs: JobStore;
  scheduler: Scheduler;
  media: MediaStore;
  intake: MediaIntake;
  running: RunningWork;
  log: Logger;
}

interface Task {
  jobId: string;
  accountId: string;
  run: number;
}

/** Answers ingest.requested: brings a job's media in and makes it ready, picking up what an interrupted try left. */
export class IngestTask {
  constructor(private readonly dependencies: IngestTaskDependencies) {}

  /** @throws what another try may mend; everything else has failed the job. */
  async handle({ event, signal }: Delivery<'ingest.requested'>): Promise<void> {
    const { jobId, accountId, run } = event.data;
    // Registered before the job is read: a job that ends from now on stops this work.
    await this.dependencies.running.run(jobId, signal, (stoppable) => this.ingest({ jobId, accountId, run }, stoppable, signal));
  }

  /** The last try has failed. */
  async giveUp(event: OutboxEvent, error: unknown): Promise<void> {
    if (event.type === 'ingest.requested') await this.fail(event.data, toAppError(error));
  }

  private async ingest(task: Task, signal: AbortSignal, delivery: AbortSignal): Promise<void> {
    const { jobs, scheduler } = this.dependencies;
    const job = await jobs.apply(task.jobId, { type: 'started', run: task.run });
    if (isAtWork(job, task.run)) {
      if (!isAwaitingMedia(job)) return;
      await this.attempt(task, job, signal, delivery);
    } else await scheduler.remove(task.accountId, task);
    await this.removeLeftovers(task);
  }

  private async attempt(task: Task, job: Job, signal: AbortSignal, delivery: AbortSignal): Promise<void> {
    try {
      await this.bringIn(job, signal);
    } catch (error) {
      if (signal.aborted && !delivery.aborted) return await this.stopped(task);
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
    if (!isAtWork(await this.dependencies.jobs.get(jobId), run)) return;
    throw new AppError({ kind: 'unavailable', code: 'internal', message: 'The end of an earlier run stopped this one.' });
  }

  private async bringIn(job: Job, signal: AbortSignal): Promise<void> {
    const { jobs, intake } = this.dependencies;
    const { id: jobId, accountId, run } = job;
    const earlier = await this.planOfEarlierRun(job);
    if (earlier) return void (await jobs.apply(jobId, { type: 'media_ready', run, ...earlier, warnings: [], samePlan: true }));
    const progress = new IngestProgress((part) => jobs.apply(jobId, { type: 'ingest_progressed', run, part }));
    try {
      await this.bringSource(job, signal, progress.between(0, FETCH_PART));
      const prepared = await intake.prepare({ accountId, jobId, signal, onProgress: progress.between(FETCH_PART, 1) });
      signal.throwIfAborted();
      await jobs.apply(jobId, { type: 'media_ready', run, ...prepared });
    } finally {
      await progress.settled();
    }
  }

  /** A retry redoes only what is missing. */
  private async planOfEarlierRun({ accountId, id, media, chunks }: Job): Promise<PlannedMedia | undefined> {
    const { plan, audioPrefix } = mediaKeys(accountId, id);
    if (!media || chunks.total === 0 || !(await this.dependencies.media.head(plan))) return undefined;
    return { media, planKey: plan, audioPrefix, chunksTotal: chunks.total };
  }

  private async bringSource(job: Job, signal: AbortSignal, onProgress: (part: number) => void): Promise<void> {
    const { jobs, media, intake } = this.dependencies;
    const { id: jobId, accountId, run, source } = job;
    if (source.kind === 'upload') return;
    const stored = await media.head(mediaKeys(accountId, jobId).source);
    if (!stored) await intake.fetch({ accountId, jobId, signal, url: source.url, onProgress });
    await jobs.apply(jobId, { type: 'source_fetched', run });
  }

  private async fail({ jobId, run }: Task, error: AppError): Promise<void> {
    const { jobs, log } = this.dependencies;
    log.warn({ job_id: jobId, code: error.code, err: error.cause ?? error }, 'the media cannot be brought in');
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

const isAtWork = (job: Job | undefined, run: number): job is Job => job?.status === 'processing' && job.run === run;
const isAwaitingMedia = ({ stages }: Job): boolean => stages.transcription.status === 'pending';

/** The fetch has had its own tries, and what took all the time there is would take it again; a defect or a full disk may mend. */
const isFinal = ({ code, kind }: AppError): boolean => code.startsWith('media_') || code === 'address_forbidden' || kind === 'timeout';
