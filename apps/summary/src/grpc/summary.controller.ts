import { Controller, Inject } from '@nestjs/common';
import type { summary, SummaryService } from '@parlance/contracts';
import { AppError, notFound } from '@parlance/platform';
import type { SummaryEngine } from '../engine/summary-engine.js';
import { SUMMARY_ENGINE } from '../engine/summary-engine.provider.js';
import { MAX_PER_JOB, SummaryOrders } from '../summaries/summary-orders.js';
import { TranscriptSource } from '../transcripts/transcript-source.js';
import { defaultSummaryId, type WorkDocument } from '../work/work-document.js';
import { WorkDocuments } from '../work/work-documents.js';
import { chaptersMessage } from './chapters-message.js';
import { entitiesMessage } from './entities-message.js';
import { highlightsMessage } from './highlights-message.js';
import { translationMessage } from './translation-message.js';
import { TranslationOrders } from '../translations/translation-orders.js';
import { readableEdition, translationId, translationPageId, type TranslationDocument } from '../translations/translation-document.js';
import { SpeakerNames } from './speaker-names.js';
import { summaryMessage } from './summary-message.js';

/** Answers not_found for a job of another account, as for one that does not exist. */
@Controller()
export class SummaryController implements SummaryService {
  constructor(
    @Inject(SUMMARY_ENGINE) private readonly engine: SummaryEngine,
    @Inject(SummaryOrders) private readonly orders: SummaryOrders,
    @Inject(WorkDocuments) private readonly documents: WorkDocuments,
    @Inject(TranslationOrders) private readonly translations: TranslationOrders,
    @Inject(TranscriptSource) private readonly source: TranscriptSource,
  ) {}

  async getEngine(): Promise<summary.GetEngineResponse> {
    const { name, languages } = this.engine.info;
    return { engine: { name, available: true, languages: [...languages], detectsLanguage: false, vocabulary: false, wordTimes: false } };
  }

  async createSummary(request: summary.CreateSummaryRequest): Promise<summary.CreateSummaryResponse> {
    const created = await this.orders.create(request);
    return { summary: summaryMessage(created, SpeakerNames.none) };
  }

  async getSummary(request: summary.GetSummaryRequest): Promise<summary.GetSummaryResponse> {
    const { jobId, summaryId = defaultSummaryId(jobId) } = request;
    const found = await this.documents.summaries.get(summaryId);
    const document = owned(found?.document, request, 'The summary');
    return { summary: summaryMessage(document, await this.namesOf(request)) };
  }

  async listSummaries(request: summary.ListSummariesRequest): Promise<summary.ListSummariesResponse> {
    const { jobId, accountId, limit, cursor } = request;
    const page = await this.documents.summaries.find({ where: { jobId, accountId }, limit, ...(cursor !== undefined && { cursor }) });
    const names = page.items.length === 0 ? SpeakerNames.none : await this.namesOf(request);
    return { summaries: page.items.map(({ document }) => summaryMessage(document, names)), nextCursor: page.nextCursor ?? undefined };
  }

  async countOpenSummaries({ jobId, accountId }: summary.CountOpenSummariesRequest): Promise<summary.CountOpenSummariesResponse> {
    const open = await Promise.all((['pending', 'running'] as const).map((status) => this.documents.summaries.find({ where: { jobId, status }, limit: MAX_PER_JOB })));
    return { count: open.flatMap(({ items }) => items).filter(({ document }) => document.accountId === accountId && !document.isDefault).length };
  }

  async deleteSummary({ summaryId, ...ref }: summary.DeleteSummaryRequest): Promise<summary.DeleteSummaryResponse> {
    const found = await this.documents.summaries.get(summaryId);
    const { status } = owned(found?.document, ref, 'The summary');
    // The work would store it again.
    if (status === 'pending' || status === 'running') throw new AppError({ code: 'invalid_state', reason: 'still_running', message: 'The summary is still being written.', retryable: true });
    await this.documents.summaries.remove(summaryId);
    return {};
  }

  async getHighlights(request: summary.GetHighlightsRequest): Promise<summary.GetHighlightsResponse> {
    const found = await this.documents.highlights.get(request.jobId);
    const document = owned(found?.document, request, 'The highlights');
    return { highlights: highlightsMessage(document, await this.namesOf(request)) };
  }

  async getChapters(request: summary.GetChaptersRequest): Promise<summary.GetChaptersResponse> {
    const found = await this.documents.chapters.get(request.jobId);
    const document = owned(found?.document, request, 'The chapters');
    return { chapters: chaptersMessage(document, await this.namesOf(request)) };
  }

  async getEntities(request: summary.GetEntitiesRequest): Promise<summary.GetEntitiesResponse> {
    const found = await this.documents.entities.get(request.jobId);
    const document = owned(found?.document, request, 'The entities');
    return { entities: entitiesMessage(document, await this.namesOf(request)) };
  }

  async createTranslation(request: summary.CreateTranslationRequest): Promise<summary.CreateTranslationResponse> {
    const { document, version } = await this.translations.create(request);
    return { translation: translationMessage(document, version) };
  }

  async getTranslation(request: summary.GetTranslationRequest): Promise<summary.GetTranslationResponse> {
    const document = await this.translation(request);
    const { version } = await this.source.speakers(request);
    return { translation: translationMessage(document, version) };
  }

  async listTranslations({ accountId, jobId }: summary.ListTranslationsRequest): Promise<summary.ListTranslationsResponse> {
    const languages: string[] = [];
    for await (const { document } of this.documents.translations.all({ where: { jobId } })) if (document.accountId === accountId) languages.push(document.language);
    return { languages };
  }

  async *readTranslation(request: summary.ReadTranslationRequest): AsyncGenerator<summary.ReadTranslationResponse> {
    const document = await this.translation(request);
    const edition = readableEdition(document);
    if (edition === undefined) throw notFound('The translation');
    for (let number = 0; number < document.pageCount; number++) {
      const page = await this.documents.translationPages.get(translationPageId(document.id, edition, number));
      if (!page) return yield* this.readNewer(request, edition);
      yield { segments: page.document.segments };
    }
  }

  /** Another edition has taken the place of the one that was read. */
  private async *readNewer(request: summary.ReadTranslationRequest, former: number): AsyncGenerator<summary.ReadTranslationResponse> {
    if (readableEdition(await this.translation(request)) === former) throw notFound('The translation');
    yield* this.readTranslation(request);
  }

  private async translation({ jobId, accountId, language }: summary.GetTranslationRequest): Promise<TranslationDocument> {
    const found = (await this.documents.translations.get(translationId(jobId, language)))?.document;
    if (found?.accountId !== accountId) throw notFound('The translation');
    return found;
  }

  /** Reads the present names. */
  private async namesOf({ jobId, accountId }: { jobId: string; accountId: string }): Promise<SpeakerNames> {
    try {
      return new SpeakerNames(await this.source.speakers({ jobId, accountId }));
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
