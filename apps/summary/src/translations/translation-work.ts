import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { common } from '@parlance/contracts';
import { sumUsage, type TokenUsage } from '@parlance/engines';
import { AppError, toAppError, type Clock, type Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import { SUMMARY_ENGINE } from '../engine/summary-engine.provider.js';
import type { SummaryEngine } from '../engine/summary-engine.js';
import { TranscriptSource, type VersionedTranscript } from '../transcripts/transcript-source.js';
import type { WorkKey } from '../work/transcript-work.js';
import { WorkDocuments } from '../work/work-documents.js';
import { WorkMetrics } from '../work/work-metrics.js';
import { translationPageId, type TranslationDocument, type TranslationPage } from './translation-document.js';
import { translationUnsupported } from './translation-unsupported.js';
import type { TranslationBatch, Translator } from './translator.js';

/** Batches of one transcript that are translated at the same time. */
const PARALLEL = 3;

const NOTHING_SAID: common.Failure = { code: 'transcript_empty', message: 'Nothing is said in the recording.', retryable: false };

interface Progress {
  usage: TokenUsage | undefined;
  done: number;
}

/** Translates a transcript batch by batch. Each batch is stored when it is translated, so that another attempt begins after it. */
@Injectable()
export class TranslationWork {
  constructor(
    @Inject(WorkDocuments) private readonly documents: WorkDocuments,
    @Inject(SUMMARY_ENGINE) private readonly engine: SummaryEngine,
    @Inject(TranscriptSource) private readonly source: TranscriptSource,
    @Inject(WorkMetrics) private readonly metrics: WorkMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Does nothing when the job or the order is gone. @throws errors that another try may change, and the signal's reason */
  async perform(key: WorkKey, signal: AbortSignal): Promise<void> {
    const { translator } = this.engine;
    const job = await this.source.job(key, signal);
    const document = (await this.documents.translations.get(key.id))?.document;
    if (!job || !document || document.status === 'completed') return;
    if (!translator) throw translationUnsupported();
    const transcript = await this.source.read(job, signal).catch(undefinedWhenGone);
    if (!transcript) return;
    if (!transcript.lines.some(({ text }) => text.trim() !== '')) return this.change(key, { status: 'skipped', error: NOTHING_SAID, completedAt: this.now() });
    await this.translate(key, document, transcript, translator, signal);
  }

  /** Stores the failure after the last try. The translation may be requested again. */
  async fail(key: WorkKey, error: common.Failure): Promise<void> {
    await this.change(key, { status: 'failed', error, completedAt: this.now() });
  }

  private async translate(key: WorkKey, { language }: TranslationDocument, transcript: VersionedTranscript, translator: Translator, signal: AbortSignal): Promise<void> {
    const began = this.clock.now().getTime();
    const batches = translator.batches(transcript.lines);
    const missing = await this.missing(key, language, batches);
    const segmentsTotal = transcript.lines.length;
    const progress: Progress = { usage: undefined, done: segmentsTotal - missing.reduce((sum, { batch }) => sum + batch.lines.length, 0) };
    await this.change(key, { status: 'running', error: undefined, completedAt: undefined, segmentsTotal, segmentsDone: progress.done });
    await inParallel(missing, PARALLEL, signal, (page) => this.translateBatch(key, language, page, translator, progress, signal));
    const completed = { status: 'completed', completedAt: this.now(), engine: translator.name, segmentsTotal, segmentsDone: segmentsTotal, pageCount: batches.length, transcriptVersion: transcript.version } as const;
    await this.change(key, completed);
    const seconds = (this.clock.now().getTime() - began) / 1000;
    const { usage } = progress;
    this.metrics.made('translation', { engine: translator.name, language, droppedItems: 0, warnings: [], ...(usage && { usage }) }, seconds);
    this.log.info({ job_id: key.jobId, account_id: key.accountId, work: 'translation', language, engine: translator.name, seconds, segments: segmentsTotal, ...usage }, 'work completed');
  }

  private async translateBatch(key: WorkKey, language: string, { number, batch }: MissingPage, translator: Translator, progress: Progress, signal: AbortSignal): Promise<void> {
    const { texts, usage } = await translator.translate(batch, language, signal);
    signal.throwIfAborted();
    const segments = batch.lines.map(({ segmentId }, index) => ({ segmentId, text: texts[index] ?? '' }));
    const page: TranslationPage = { id: translationPageId(key.id, number), createdAt: this.now(), jobId: key.jobId, translationId: key.id, number, source: digestOf(batch, language), segments };
    await this.documents.translationPages.update(page.id, () => ({ document: page }));
    progress.usage = sumUsage(progress.usage, usage);
    progress.done += segments.length;
    const { done } = progress;
    await this.documents.translations.update(key.id, (current) => current && { document: { ...current, segmentsDone: Math.max(current.segmentsDone, done), usage: sumUsage(current.usage, usage) } });
  }

  /** The batches without a page of the same segments. */
  private async missing(key: WorkKey, language: string, batches: readonly TranslationBatch[]): Promise<MissingPage[]> {
    const missing: MissingPage[] = [];
    for (const [number, batch] of batches.entries()) {
      const page = await this.documents.translationPages.get(translationPageId(key.id, number));
      if (page?.document.source !== digestOf(batch, language)) missing.push({ number, batch });
    }
    return missing;
  }

  private async change(key: WorkKey, change: Partial<TranslationDocument>): Promise<void> {
    await this.documents.translations.update(key.id, (current) => current && { document: { ...current, ...change } });
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}

interface MissingPage {
  number: number;
  batch: TranslationBatch;
}

/** The ids count as well, since the page has them. */
function digestOf({ lines }: TranslationBatch, language: string): string {
  return createHash('sha256').update(JSON.stringify([language, lines.map(({ segmentId, text }) => [segmentId, text])])).digest('hex');
}

/** After a failure nothing more is begun, and what runs is finished. @throws the first error */
async function inParallel<T>(items: readonly T[], width: number, signal: AbortSignal, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  let hasFailed = false;
  const lane = async () => {
    for (const item of queue) {
      signal.throwIfAborted();
      if (hasFailed) return;
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: width }, lane));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}

/** A transcript that is not found was erased meanwhile. */
function undefinedWhenGone(error: unknown): undefined {
  if (error instanceof AppError && toAppError(error).kind === 'not_found') return undefined;
  throw error;
}
