import { Inject, Injectable } from '@nestjs/common';
import { TASK_QUEUE } from '@parlance/runtime';
import type { Holdings, JobRef } from '@parlance/stage';
import type { TaskQueue } from '@parlance/task-queue';
import { WorkDocuments } from './work-documents.js';

/** The task queue of summaries that are ordered apart from the job. */
export const SUMMARY_ORDERS = 'summary-orders';
/** The task queue of translations. */
export const TRANSLATION_ORDERS = 'translation-orders';

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
    const { summaries, highlights, chapters, entities, translations } = this.documents;
    const counts = await Promise.all([summaries, highlights, chapters, entities, translations].map((documents) => documents.count({ jobId })));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async remove({ jobId }: JobRef): Promise<void> {
    for (const queue of [SUMMARY_ORDERS, TRANSLATION_ORDERS]) await this.tasks.removeGroup(queue, jobId);
    const { summaries, highlights, chapters, entities, translations, translationPages } = this.documents;
    for (const documents of [summaries, highlights, chapters, entities, translationPages, translations]) await documents.removeWhere({ jobId });
  }
}
