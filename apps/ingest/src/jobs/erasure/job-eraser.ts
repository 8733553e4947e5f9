import { Inject, Injectable } from '@nestjs/common';
import { recordHolder, type EventData } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import { CLOCK, DATA_KEYS, TASK_QUEUE } from '@parlance/runtime';
import { ErasureRepeats } from '@parlance/stage';
import type { DataKeys } from '@parlance/storage';
import type { TaskQueue, TaskWorker } from '@parlance/task-queue';
import { JobMedia } from '../../media/job-media.js';
import { Admission } from '../admission/admission.js';
import { IngestQueues } from '../schedule/ingest-queues.js';
import { Scheduler } from '../schedule/scheduler.js';
import { JobStore } from '../state/job-store.js';
import { ErasureReports } from './erasure-reports.js';

/** Erases what ingest holds of a deleted job, and reports it. Erasing again changes nothing. */
@Injectable()
export class JobEraser {
  private readonly repeats: ErasureRepeats;

  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(IngestQueues) private readonly queues: IngestQueues,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(Scheduler) private readonly scheduler: Scheduler,
    @Inject(JobMedia) private readonly media: JobMedia,
    @Inject(ErasureReports) private readonly reports: ErasureReports,
    @Inject(DATA_KEYS) private readonly keys: DataKeys | null,
    @Inject(TASK_QUEUE) tasks: TaskQueue,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.repeats = new ErasureRepeats({ where: 'ingest', remove: (job) => this.removeAgain(job), tasks, clock });
  }

  /** Removes the media of erased jobs again: a worker that was killed while it decoded may have stored some after the erasure. */
  worker(): TaskWorker {
    return this.repeats.worker();
  }

  async erase({ jobId, accountId, erasureId, run, sealed = false }: EventData<'job.deleted'>): Promise<void> {
    if (this.keys) {
      await this.keys.destroy(accountId, jobId);
      if (sealed) await this.keys.destroy(accountId, recordHolder(jobId));
      await this.reports.keyDestroyed(erasureId);
    }
    await this.repeats.add({ jobId, accountId });
    if (run !== undefined) await this.queues.remove({ jobId, run });
    await this.admission.settle(accountId, jobId, undefined);
    await this.scheduler.remove(accountId, { jobId, run: Number.MAX_SAFE_INTEGER });
    const count = await this.media.removeWithResult({ accountId, jobId });
    await this.reports.mediaErased({ accountId, jobId }, erasureId, count);
  }

  /** Destroys the content of a sealed job: its key first, so that no copy of what it sealed can be read. The record and the sealed result stay. */
  async eraseContent({ jobId, accountId, run = 0 }: EventData<'job.content_erased'>): Promise<void> {
    await this.keys?.destroy(accountId, jobId);
    await this.repeats.add({ jobId, accountId });
    await this.media.removeAll({ accountId, jobId });
    await this.jobs.apply(jobId, { type: 'content_erased', run });
  }

  private async removeAgain(job: { jobId: string; accountId: string }): Promise<number> {
    return (await this.jobs.get(job.jobId)) ? this.media.removeAll(job) : this.media.removeWithResult(job);
  }
}
