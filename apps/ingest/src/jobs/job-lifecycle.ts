import { Inject, Injectable } from '@nestjs/common';
import { common, type EventData } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import type { JobRun } from '@parlance/stage';
import { JobMedia } from '../media/job-media.js';
import { Admission } from './admission/admission.js';
import { DECODE_QUEUE, IngestQueues, SEAL_QUEUE } from './schedule/ingest-queues.js';
import { Scheduler } from './schedule/scheduler.js';
import { JobStore } from './state/job-store.js';
import { isAwaitingAudio, isAwaitingMedia, isAwaitingRedaction, isAwaitingSealing, isTerminal } from './state/job.js';
import { isMediaExpired } from './state/media-retention.js';
import { ExpiredMedia } from './upkeep/expired-media.js';

/** Keeps the schedule, the places and the media in step with the jobs. Every method may be repeated. */
@Injectable()
export class JobLifecycle {
  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(IngestQueues) private readonly queues: IngestQueues,
    @Inject(Scheduler) private readonly scheduler: Scheduler,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(JobMedia) private readonly media: JobMedia,
    @Inject(ExpiredMedia) private readonly expiredMedia: ExpiredMedia,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  created({ accountId }: EventData<'job.created'>): Promise<void> {
    return this.scheduler.fill(accountId);
  }

  /** A retry puts the job back in the queue; its earlier run may still hold a place that would count. */
  async progressed({ jobId, accountId, status }: EventData<'job.progressed'>): Promise<void> {
    const job = status === common.JobStatus.JOB_STATUS_QUEUED ? await this.jobs.get(jobId) : undefined;
    if (job) await this.scheduler.remove(accountId, { jobId, run: job.run - 1 });
  }

  async ended({ jobId, accountId, run }: EventData<'job.completed'>): Promise<void> {
    // Before the job is read: a task that is added after this finds that the job has ended.
    if (run !== undefined) await this.queues.remove({ jobId, run });
    const job = await this.jobs.get(jobId);
    await this.admission.settle(accountId, jobId, job);
    if (!job) return;
    // A retry may have been faster than this event. Then only the places of the earlier runs are freed.
    await this.scheduler.remove(accountId, { jobId, run: isTerminal(job.status) ? job.run : job.run - 1 });
    const current = await this.jobs.get(jobId);
    // The media of a job that was deleted since is removed, and counted, with its erasure.
    if (current) await this.media.removeUnneeded({ accountId, jobId }, current);
    if (isMediaExpired(job, this.clock.now().toISOString())) await this.expiredMedia.erase(job);
  }

  /** The recording of a completed job may have been redacted by a retry. */
  async addOnCompleted({ jobId, accountId }: EventData<'job.add_on_completed'>): Promise<void> {
    const job = await this.jobs.get(jobId);
    if (job) await this.media.removeUnneeded({ accountId, jobId }, job);
  }

  /** The audio of a completed job is to be decoded again, its recording redacted, or its results sealed. The version before requested all ingest by this event. */
  async ingestRequested(run: JobRun): Promise<void> {
    const job = await this.jobs.get(run.jobId);
    // The worker removes what is left of a job that is gone.
    if (job?.run !== run.run || isAwaitingAudio(job) || isAwaitingRedaction(job)) await this.queues.add(DECODE_QUEUE, run);
    else if (isAwaitingSealing(job)) await this.queues.add(SEAL_QUEUE, run, job.options);
    else if (isAwaitingMedia(job)) await this.queues.addJobs([job]);
  }
}
