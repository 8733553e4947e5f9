import type { Consumer } from '@parlance/event-bus';
import type { TaskWorker } from '@parlance/task-queue';
import type { JobCancellation } from './job-cancellation.js';
import type { JobErasure } from './job-erasure.js';

/** Handles the jobs that are canceled, fail, lose their content or are deleted, in a service with stages. */
export class JobEnds {
  constructor(
    private readonly cancellation: JobCancellation,
    private readonly erasure: JobErasure,
  ) {}

  /** They are on the topic of jobs. */
  handlers() {
    return {
      'job.canceled': ({ event }) => this.cancellation.canceled(event.data),
      'job.failed': ({ event }) => this.cancellation.failed(event.data),
      'job.content_erased': ({ event }) => this.erasure.erase(event.data),
      'job.deleted': ({ event }) => this.erasure.erase(event.data),
    } satisfies Consumer['handlers'];
  }

  /** Removes again what erased jobs have left. */
  workers(): TaskWorker[] {
    return this.erasure.workers();
  }
}
