import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { summary } from '@parlance/contracts';
import { AppError, notFound } from '@parlance/platform';
import type { SummaryParts } from '../summary-parts.js';
import { PARTS } from '../tokens.js';
import { defaultSummaryId, type WorkDocument } from '../work/work-document.js';
import { highlightsMessage } from './highlights-message.js';
import { SpeakerNames } from './speaker-names.js';
import { summaryMessage } from './summary-message.js';

/** SummaryService: of another account's job, as of none, NOT_FOUND. */
@Controller()
export class SummaryController {
  constructor(@Inject(PARTS) private readonly parts: SummaryParts) {}

  @GrpcMethod('SummaryService', 'getEngine')
  getEngine(): summary.GetEngineResponse {
    const { name, languages } = this.parts.engine.info;
    return { engine: { name, available: true, languages: [...languages], detectsLanguage: false, vocabulary: false, wordTimes: false } };
  }

  @GrpcMethod('SummaryService', 'createSummary')
  async createSummary(request: summary.CreateSummaryRequest): Promise<summary.CreateSummaryResponse> {
    const created = await this.parts.orders.create(request);
    return { summary: summaryMessage(created, SpeakerNames.none) };
  }

  @GrpcMethod('SummaryService', 'getSummary')
  async getSummary(request: summary.GetSummaryRequest): Promise<summary.GetSummaryResponse> {
    const { jobId, summaryId = defaultSummaryId(jobId) } = request;
    const found = await this.parts.documents.summaries.get(summaryId);
    const document = owned(found?.document, request, 'The summary');
    return { summary: summaryMessage(document, await this.namesOf(request)) };
  }

  @GrpcMethod('SummaryService', 'listSummaries')
  async listSummaries(request: summary.ListSummariesRequest): Promise<summary.ListSummariesResponse> {
    const { jobId, accountId, limit, cursor } = request;
    const page = await this.parts.documents.summaries.find({ where: { jobId, accountId }, limit, ...(cursor !== undefined && { cursor }) });
    const names = page.items.length === 0 ? SpeakerNames.none : await this.namesOf(request);
    return { summaries: page.items.map(({ document }) => summaryMessage(document, names)), nextCursor: page.nextCursor ?? undefined };
  }

  @GrpcMethod('SummaryService', 'getHighlights')
  async getHighlights(request: summary.GetHighlightsRequest): Promise<summary.GetHighlightsResponse> {
    const found = await this.parts.documents.highlights.get(request.jobId);
    const document = owned(found?.document, request, 'The highlights');
    return { highlights: highlightsMessage(document, await this.namesOf(request)) };
  }

  /** As they are called now. */
  private async namesOf({ jobId, accountId }: { jobId: string; accountId: string }): Promise<SpeakerNames> {
    try {
      return new SpeakerNames(await this.parts.source.speakers({ jobId, accountId }));
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') throw notFound('The job');
      throw error;
    }
  }
}

function owned<Document extends WorkDocument<unknown>>(document: Document | undefined, { jobId, accountId }: { jobId: string; accountId: string }, what: string): Document {
  if (document?.accountId !== accountId || document.jobId !== jobId) throw notFound(what);
  return document;
}
