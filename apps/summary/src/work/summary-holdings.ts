import { Inject, Injectable } from '@nestjs/common';
import { TASK_QUEUE } from '@parlance/runtime';
import type { Holdings, JobRef } from '@parlance/stage';
import type { TaskQueue } from '@parlance/task-queue';
import { WorkDocuments } from './work-documents.js';

/** The task queue of summaries that are ordered apart from the job. */
export const SUMMARY_ORDERS = 'summary-orders';

/** Counts and removes what an erasure takes. */
@Injectable()
export class SummaryHoldings implements Holdings {
  readonly what = 'summaries';
  readonly where = 'summary';

  constructor(
    @Inject(WorkDocuments) private readonly documents: WorkDocuments,
    @Inject(TASK_QUEUE) private readonly tasks: TaskQueue,
  ) {}

  async count({ jobId }: JobRef): Promise<number> {
    const { summaries, highlights, chapters } = this.documents;
    return (await summaries.count({ jobId })) + (await highlights.count({ jobId })) + (await chapters.count({ jobId }));
  }

  async remove({ jobId }: JobRef): Promise<void> {
    await this.tasks.removeGroup(SUMMARY_ORDERS, jobId);
    const { summaries, highlights, chapters } = this.documents;
    for (const documents of [summaries, highlights, chapters]) await documents.removeWhere({ jobId });
  }
}
