import { Inject, Injectable } from '@nestjs/common';
import type { events, summary } from '@parlance/contracts';
import { AppError, limitReached, notFound, type Clock } from '@parlance/platform';
import { CLOCK, TASK_QUEUE } from '@parlance/runtime';
import { addOrReplay } from '@parlance/stage';
import type { TaskQueue } from '@parlance/task-queue';
import { isAtWork } from '../transcripts/job-state.js';
import { TranscriptSource } from '../transcripts/transcript-source.js';
import { SUMMARY_ORDERS } from '../work/summary-holdings.js';
import { SummaryStages } from '../work/summary-stages.js';
import type { SummaryDocument } from '../work/work-document.js';
import { WorkDocuments } from '../work/work-documents.js';
import { formatOf } from './requested-summary.js';

/** A larger number comes from a mistake, such as an endless loop of a client. */
export const MAX_PER_JOB = 100;

/** Takes orders for further summaries of a transcript. */
@Injectable()
export class SummaryOrders {
  constructor(
    @Inject(WorkDocuments) private readonly documents: WorkDocuments,
    @Inject(TranscriptSource) private readonly source: TranscriptSource,
    @Inject(SummaryStages) private readonly stages: SummaryStages,
    @Inject(TASK_QUEUE) private readonly tasks: TaskQueue,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Stores the order with the event that starts the work. Idempotent by the id of the summary. @throws AppError not_found, invalid_state */
  async create(order: summary.CreateSummaryRequest): Promise<SummaryDocument> {
    const { summaries } = this.documents;
    const { ledger, erasure } = this.stages;
    const { summaryId, jobId, accountId, format, template, instructions, language } = order;
    if (await ledger.isErased(jobId)) throw notFound('The job');
    await this.source.speakers({ jobId, accountId }).catch((error: unknown) => this.withoutTranscript({ jobId, accountId }, error));
    if ((await summaries.count({ jobId })) >= MAX_PER_JOB) throw tooMany();
    const document: SummaryDocument = {
      id: summaryId,
      createdAt: this.clock.now().toISOString(),
      jobId,
      accountId,
      isDefault: false,
      status: 'pending',
      request: { format: formatOf(format, template), template, instructions, language },
    };
    const { stored } = await summaries.update(summaryId, (current) =>
      current ? undefined : { document, events: [{ type: 'summary.requested', data: { jobId, accountId, summaryId } }] },
    );
    await erasure.removeIfErased({ jobId, accountId });
    if (stored?.document.accountId !== accountId || stored.document.jobId !== jobId) throw notFound('The summary');
    return stored.document;
  }

  /** Adds the requested summary to the task queue; a dead task of it is tried again. */
  async requested({ summaryId, jobId, accountId }: events.SummaryRequested): Promise<void> {
    await addOrReplay(this.tasks, SUMMARY_ORDERS, { id: summaryId, accountId, group: jobId, payload: { id: summaryId, jobId, accountId } });
  }

  /** A job that has ended gets no transcript any more, so another call would not help. */
  private async withoutTranscript(ref: { jobId: string; accountId: string }, error: unknown): Promise<never> {
    if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
    const job = await this.source.job(ref);
    throw noTranscript(job !== undefined && isAtWork(job));
  }
}

const noTranscript = (mayCome: boolean) =>
  new AppError({
    kind: 'conflict',
    code: 'invalid_state',
    reason: mayCome ? 'not_ready' : 'no_transcript',
    message: mayCome ? 'The job has no transcript to summarise yet.' : 'The job ended without a transcript to summarise.',
    retryable: mayCome,
  });

const tooMany = () => limitReached(`A job has at most ${MAX_PER_JOB} summaries; delete one that is no longer needed.`);
