import type { events, summary } from '@parlance/contracts';
import { AppError, notFound, type Clock } from '@parlance/platform';
import type { JobErasures } from '@parlance/runtime';
import type { DocumentCollection } from '@parlance/storage';
import { isAtWork } from '../transcripts/job-state.js';
import type { TranscriptSource } from '../transcripts/transcript-source.js';
import type { StageWork } from '../work/stages.js';
import type { SummaryDocument } from '../work/work-document.js';
import { formatOf } from './requested-summary.js';

/** More is not a use, but a mistake in a loop. */
const MAX_PER_JOB = 100;

export interface SummaryOrdersParts {
  summaries: DocumentCollection<SummaryDocument>;
  work: StageWork;
  source: TranscriptSource;
  erasures: JobErasures;
  clock: Clock;
}

/** Further summaries of a transcript, made when they are asked for. */
export class SummaryOrders {
  constructor(private readonly parts: SummaryOrdersParts) {}

  /** Stores what is asked with the event that has it done; again with the same id, nothing new. @throws AppError not_found, invalid_state */
  async create(order: summary.CreateSummaryRequest): Promise<SummaryDocument> {
    const { summaries, source, erasures, clock } = this.parts;
    const { summaryId, jobId, accountId, format, template, instructions, language } = order;
    if (await erasures.has(jobId)) throw notFound('The job');
    await source.speakers({ jobId, accountId }).catch((error: unknown) => this.withoutTranscript({ jobId, accountId }, error));
    if ((await summaries.count({ jobId })) >= MAX_PER_JOB) throw tooMany();
    const document: SummaryDocument = {
      id: summaryId,
      createdAt: clock.now().toISOString(),
      jobId,
      accountId,
      isDefault: false,
      status: 'pending',
      run: 0,
      endedRun: 0,
      request: { format: formatOf(format, template), template, instructions, language },
    };
    const { stored } = await summaries.update(summaryId, (current) =>
      current ? undefined : { document, events: [{ type: 'summary.requested', data: { jobId, accountId, summaryId } }] },
    );
    if (await erasures.has(jobId)) await summaries.removeWhere({ jobId });
    if (stored?.document.accountId !== accountId || stored.document.jobId !== jobId) throw notFound('The summary');
    return stored.document;
  }

  async perform({ summaryId, jobId, accountId }: events.SummaryRequested, signal: AbortSignal): Promise<void> {
    await this.parts.work.perform({ id: summaryId, jobId, accountId, run: 1 }, signal);
  }

  async giveUp({ summaryId, jobId, accountId }: events.SummaryRequested, thrown: unknown): Promise<'settled'> {
    await this.parts.work.giveUp({ id: summaryId, jobId, accountId, run: 1 }, thrown);
    return 'settled';
  }

  /** Of a job that has ended none will come: nobody should ask again. */
  private async withoutTranscript(ref: { jobId: string; accountId: string }, error: unknown): Promise<never> {
    if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
    const job = await this.parts.source.job(ref);
    throw noTranscript(job !== undefined && isAtWork(job));
  }
}

const noTranscript = (mayCome: boolean) =>
  new AppError({
    kind: 'conflict',
    code: 'invalid_state',
    message: mayCome ? 'The job has no transcript to summarise yet.' : 'The job ended without a transcript to summarise.',
    retryable: mayCome,
  });

const tooMany = () => new AppError({ kind: 'conflict', code: 'invalid_state', message: `A job has at most ${MAX_PER_JOB} summaries.` });
