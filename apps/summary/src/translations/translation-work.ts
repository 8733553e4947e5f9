import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { common } from '@parlance/contracts';
import { sumUsage, type TokenUsage } from '@parlance/engines';
import { AppError, toAppError, type Clock, type Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import type { SpokenLine } from '@parlance/text-analysis';
import { SUMMARY_ENGINE } from '../engine/summary-engine.provider.js';
import type { SummaryEngine } from '../engine/summary-engine.js';
import { TranscriptSource, type VersionedTranscript } from '../transcripts/transcript-source.js';
import type { WorkKey } from '../work/transcript-work.js';
import { WorkDocuments } from '../work/work-documents.js';
import { WorkMetrics } from '../work/work-metrics.js';
import { readableEdition, translationPageId, type TranslationDocument, type TranslationPage } from './translation-document.js';
import { translationUnsupported } from './translation-unsupported.js';
import type { TranslationBatch, Translator } from './translator.js';

/** Batches of one transcript that are translated at the same time. */
const PARALLEL = 3;

const NOTHING_SAID: common.Failure = { code: 'transcript_empty', message: 'Nothing is said in the recording.', retryable: false };

interface Progress {
  usage: TokenUsage | undefined;
  done: number;
}

/**
 * Translates a transcript batch by batch. Each batch is stored when it is translated, so that another attempt begins after it. The
 * edition before can be read until the new one is complete.
 */
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

  private async translate(key: WorkKey, document: TranslationDocument, transcript: VersionedTranscript, translator: Translator, signal: AbortSignal): Promise<void> {
    const began = this.clock.now().getTime();
    const { language } = document;
    const edition = (readableEdition(document) ?? 0) + 1;
    const batches = translator.batches(transcript.lines);
    const missing = await this.writeKnown({ key, language, edition }, batches);
    const segmentsTotal = transcript.lines.length;
    const progress: Progress = { usage: undefined, done: segmentsTotal - missing.reduce((sum, { batch }) => sum + batch.lines.length, 0) };
    await this.change(key, { status: 'running', error: undefined, completedAt: undefined, segmentsTotal, segmentsDone: progress.done });
    await inParallel(missing, PARALLEL, signal, (page) => this.translateBatch({ key, language, edition }, page, translator, progress, signal));
    const completed = { status: 'completed', completedAt: this.now(), engine: translator.name, segmentsTotal, segmentsDone: segmentsTotal, edition, pageCount: batches.length, transcriptVersion: transcript.version, editionVersion: transcript.version } as const;
    await this.change(key, completed);
    await this.removeOthers(key, edition, batches.length);
    const seconds = (this.clock.now().getTime() - began) / 1000;
    const { usage } = progress;
    this.metrics.made('translation', { engine: translator.name, language, droppedItems: 0, warnings: [], ...(usage && { usage }) }, seconds);
    this.log.info({ job_id: key.jobId, account_id: key.accountId, work: 'translation', language, engine: translator.name, seconds, segments: segmentsTotal, ...usage }, 'work completed');
  }

  private async translateBatch(target: Target, { number, batch }: NumberedBatch, translator: Translator, progress: Progress, signal: AbortSignal): Promise<void> {
    const { texts, usage } = await translator.translate(batch, target.language, signal);
    signal.throwIfAborted();
    await this.writePage(target, { number, batch }, texts);
    progress.usage = sumUsage(progress.usage, usage);
    progress.done += batch.lines.length;
    const { done } = progress;
    await this.documents.translations.update(target.key.id, (current) => current && { document: { ...current, segmentsDone: Math.max(current.segmentsDone, done), usage: sumUsage(current.usage, usage) } });
  }

  /**
   * Writes the pages of segments that are translated already: in the edition that can be read, or in an attempt before. It does not matter on
   * which page they were, so that a segment that is split or merged costs its own batch alone. @returns the batches that remain
   */
  private async writeKnown(target: Target, batches: readonly TranslationBatch[]): Promise<NumberedBatch[]> {
    const known = await this.known(target.key);
    const missing: NumberedBatch[] = [];
    for (const [number, batch] of batches.entries()) {
      const texts = batch.lines.flatMap((line) => known.get(digestOf(line, target.language)) ?? []);
      if (texts.length === batch.lines.length) await this.writePage(target, { number, batch }, texts);
      else missing.push({ number, batch });
    }
    return missing;
  }

  /** Translated texts by the digest of their segments. */
  private async known(key: WorkKey): Promise<Map<string, string>> {
    const known = new Map<string, string>();
    for await (const { document } of this.pagesOf(key)) for (const [index, source] of (document.sources ?? []).entries()) known.set(source, document.segments[index]?.text ?? '');
    return known;
  }

  private async writePage({ key, language, edition }: Target, { number, batch }: NumberedBatch, texts: readonly string[]): Promise<void> {
    const sources = batch.lines.map((line) => digestOf(line, language));
    const segments = batch.lines.map(({ segmentId }, index) => ({ segmentId, text: texts[index] ?? '' }));
    const page: TranslationPage = { id: translationPageId(key.id, edition, number), createdAt: this.now(), jobId: key.jobId, accountId: key.accountId, translationId: key.id, edition, number, sources, segments };
    await this.documents.translationPages.update(page.id, () => ({ document: page }));
  }

  /** Removes the pages of earlier editions, and those of an attempt that had more of them. */
  private async removeOthers(key: WorkKey, edition: number, pageCount: number): Promise<void> {
    for await (const { document } of this.pagesOf(key)) {
      if (document.edition !== edition || document.number >= pageCount) await this.documents.translationPages.remove(document.id);
    }
  }

  private pagesOf({ id }: WorkKey) {
    return this.documents.translationPages.all({ where: { translationId: id } });
  }

  private async change(key: WorkKey, change: Partial<TranslationDocument>): Promise<void> {
    await this.documents.translations.update(key.id, (current) => current && { document: { ...current, ...change } });
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}

interface NumberedBatch {
  number: number;
  batch: TranslationBatch;
}

/** The edition that is written. */
interface Target {
  key: WorkKey;
  language: string;
  edition: number;
}

/** The id counts as well, since the page has it. */
const digestOf = ({ segmentId, text }: SpokenLine, language: string): string => createHash('sha256').update(JSON.stringify([language, segmentId, text])).digest('base64url');

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
