import { Inject, Injectable } from '@nestjs/common';
import type { summary } from '@parlance/contracts';
import { primaryLanguage } from '@parlance/languages';
import { AppError, limitReached, notFound, type Clock } from '@parlance/platform';
import { CLOCK, TASK_QUEUE } from '@parlance/runtime';
import { addOrReplay } from '@parlance/stage';
import type { TaskQueue } from '@parlance/task-queue';
import { SUMMARY_ENGINE } from '../engine/summary-engine.provider.js';
import type { SummaryEngine } from '../engine/summary-engine.js';
import { awaitsSpeakers, isAtWork } from '../transcripts/job-state.js';
import { TranscriptSource } from '../transcripts/transcript-source.js';
import { TRANSLATION_ORDERS } from '../work/summary-holdings.js';
import { SummaryStages } from '../work/summary-stages.js';
import { WorkDocuments } from '../work/work-documents.js';
import { readableEdition, translationId, type TranslationDocument } from './translation-document.js';
import { translationUnsupported } from './translation-unsupported.js';

const MAX_PER_JOB = 50;

/** Takes orders for translations. The task is added after the document; `LostOrders` adds it when the process ends in between. */
@Injectable()
export class TranslationOrders {
  constructor(
    @Inject(WorkDocuments) private readonly documents: WorkDocuments,
    @Inject(SUMMARY_ENGINE) private readonly engine: SummaryEngine,
    @Inject(TranscriptSource) private readonly source: TranscriptSource,
    @Inject(SummaryStages) private readonly stages: SummaryStages,
    @Inject(TASK_QUEUE) private readonly tasks: TaskQueue,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @returns the translation as it is, and the present version of its transcript @throws AppError not_found, invalid_state, translation_unsupported */
  async create({ jobId, accountId, language }: summary.CreateTranslationRequest): Promise<{ document: TranslationDocument; version: number }> {
    if (await this.stages.ledger.isErased(jobId)) throw notFound('The job');
    this.requireTranslator(language);
    const version = await this.readyVersion({ jobId, accountId });
    const id = translationId(jobId, language);
    const { translations } = this.documents;
    if (!(await translations.get(id)) && (await translations.count({ jobId })) >= MAX_PER_JOB) throw tooMany();
    const requestedAt = this.clock.now().toISOString();
    const fresh: TranslationDocument = { id, createdAt: requestedAt, requestedAt, jobId, accountId, language, status: 'pending', segmentsTotal: 0, segmentsDone: 0, pageCount: 0 };
    const { stored } = await translations.update(id, (current) => (current && !mayBeMadeAgain(current, version) ? undefined : { document: current ? orderedAgain(current, requestedAt) : fresh }));
    const document = stored?.document ?? fresh;
    if (document.status === 'pending') await this.requested(document);
    await this.stages.erasure.removeIfErased({ jobId, accountId });
    return { document, version };
  }

  /** Adds the translation to the task queue; a dead task of it is tried again. */
  async requested({ id, jobId, accountId }: Pick<TranslationDocument, 'id' | 'jobId' | 'accountId'>): Promise<void> {
    await addOrReplay(this.tasks, TRANSLATION_ORDERS, { id, accountId, group: jobId, payload: { id, jobId, accountId } });
  }

  private requireTranslator(language: string): void {
    const { translator } = this.engine;
    if (!translator) throw translationUnsupported();
    if (translator.languages.length > 0 && !translator.languages.includes(primaryLanguage(language))) throw translationUnsupported(language);
  }

  /** Speakers that are still looked for may split segments. */
  private async readyVersion(ref: { jobId: string; accountId: string }): Promise<number> {
    const job = await this.source.job(ref);
    if (!job) throw notFound('The job');
    if (awaitsSpeakers(job)) throw noTranscript(true);
    try {
      return (await this.source.speakers(ref)).version;
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
      throw noTranscript(isAtWork(job));
    }
  }
}

const mayBeMadeAgain = ({ status, transcriptVersion = 0 }: TranslationDocument, version: number): boolean =>
  status === 'failed' || (status === 'skipped' && transcriptVersion < version) || (status === 'completed' && transcriptVersion < version);

/** The text that can be read stays readable until the new one is complete. */
const orderedAgain = (current: TranslationDocument, requestedAt: string): TranslationDocument => ({
  ...current,
  requestedAt,
  status: 'pending',
  error: undefined,
  completedAt: undefined,
  edition: readableEdition(current),
  editionVersion: current.transcriptVersion,
});

const noTranscript = (mayCome: boolean) =>
  new AppError({
    kind: 'conflict',
    code: 'invalid_state',
    reason: mayCome ? 'not_ready' : 'no_transcript',
    message: mayCome ? 'The transcript, or who speaks in it, is not ready yet.' : 'The job ended without a transcript to translate.',
    retryable: mayCome,
  });

const tooMany = () => limitReached(`A job has at most ${MAX_PER_JOB} translations.`);
