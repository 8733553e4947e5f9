import { Inject, Injectable } from '@nestjs/common';
import type { EventData } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import { CLOCK, TASK_QUEUE } from '@parlance/runtime';
import { ErasureRepeats } from '@parlance/stage';
import type { TaskQueue, TaskWorker } from '@parlance/task-queue';
import { JobMedia } from '../../media/job-media.js';
import { Admission } from '../admission/admission.js';
import { IngestQueues } from '../schedule/ingest-queues.js';
import { Scheduler } from '../schedule/scheduler.js';
import { ErasureReports } from './erasure-reports.js';

/** Erases what ingest holds of a deleted job, and reports it. Erasing again changes nothing. */
@Injectable()
export class JobEraser {
  private readonly repeats: ErasureRepeats;

  constructor(
    @Inject(IngestQueues) private readonly queues: IngestQueues,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(Scheduler) private readonly scheduler: Scheduler,
    @Inject(JobMedia) private readonly media: JobMedia,
    @Inject(ErasureReports) private readonly reports: ErasureReports,
    @Inject(TASK_QUEUE) tasks: TaskQueue,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.repeats = new ErasureRepeats({ where: 'ingest', remove: (job) => media.removeAll(job), tasks, clock });
  }

  /** Removes the media of erased jobs again: a worker that was killed while it decoded may have stored some after the erasure. */
  worker(): TaskWorker {
    return this.repeats.worker();
  }

  async erase({ jobId, accountId, erasureId, run }: EventData<'job.deleted'>): Promise<void> {
    await this.repeats.add({ jobId, accountId });
    if (run !== undefined) await this.queues.remove({ jobId, run });
    await this.admission.settle(accountId, jobId, undefined);
    await this.scheduler.remove(accountId, { jobId, run: Number.MAX_SAFE_INTEGER });
    const count = await this.media.removeAll({ accountId, jobId });
    await this.reports.mediaErased({ accountId, jobId }, erasureId, count);
  }
}
