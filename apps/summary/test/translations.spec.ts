import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ingest, transcription, transcripts, type JobService, type TranscriptService } from '@parlance/contracts';
import { createMetrics, silentLogger, systemClock } from '@parlance/platform';
import { storesOnSqlite, type StageStores } from '@parlance/stage/contract';
import { eventually } from '@parlance/testing';
import type { SpokenLine } from '@parlance/text-analysis';
import type { SummaryEngine } from '../src/engine/summary-engine.js';
import { TranscriptSource } from '../src/transcripts/transcript-source.js';
import { readableEdition, translationPageId, type TranslationPage } from '../src/translations/translation-document.js';
import { TranslationOrders } from '../src/translations/translation-orders.js';
import { TranslationWork } from '../src/translations/translation-work.js';
import type { TranslationBatch, Translator } from '../src/translations/translator.js';
import type { SummaryStages } from '../src/work/summary-stages.js';
import { WorkDocuments } from '../src/work/work-documents.js';
import { WorkMetrics } from '../src/work/work-metrics.js';

const KEY = { id: 'job_1.de', jobId: 'job_1', accountId: 'acc_1' };

const NOTHING_ERASED = { ledger: { isErased: async () => false }, erasure: { removeIfErased: async () => false } } as unknown as SummaryStages;

/** Three segments a batch, written in capitals. */
class CapitalTranslator implements Translator {
  readonly name = 'capitals';
  readonly languages = [];
  readonly batchesMade: string[][] = [];
  /** Called before each batch. */
  before: (batch: TranslationBatch) => Promise<void> = () => Promise.resolve();

  batches(lines: readonly SpokenLine[]): TranslationBatch[] {
    const starts = Array.from({ length: Math.ceil(lines.length / 3) }, (_, index) => index * 3);
    return starts.map((first) => ({ first, lines: lines.slice(first, first + 3), before: [], after: [] }));
  }

  async translate(batch: TranslationBatch) {
    await this.before(batch);
    this.batchesMade.push(batch.lines.map(({ text }) => text));
    return { texts: batch.lines.map(({ text }) => text.toUpperCase()) };
  }
}

describe('a translation that is made again', () => {
  let stores: StageStores;
  let documents: WorkDocuments;
  let translator: CapitalTranslator;
  let orders: TranslationOrders;
  let work: TranslationWork;
  let texts: [id: string, text: string][];
  let version: number;

  beforeEach(async () => {
    stores = await storesOnSqlite();
    documents = new WorkDocuments(stores.documents);
    translator = new CapitalTranslator();
    texts = 'one two three four five six seven eight'.split(' ').map((text, index) => [`seg_00000${index + 1}`, text]);
    version = 0;
    const header = () => transcription.TranscriptHeader.fromPartial({ language: 'en', version });
    const jobs = { getJob: async () => ({ job: ingest.Job.fromPartial({ jobId: KEY.jobId, accountId: KEY.accountId }) }) } as unknown as JobService;
    const transcript = {
      async *getTranscript() {
        yield { header: header(), segments: texts.map(([segmentId, text]) => transcripts.Segment.fromPartial({ segmentId, text })) };
      },
      listSpeakers: async () => ({ speakers: [], version, merges: {}, revision: 0 }),
    } as unknown as TranscriptService;
    const engine = { translator } as unknown as SummaryEngine;
    const source = new TranscriptSource(transcript, jobs);
    orders = new TranslationOrders(documents, engine, source, NOTHING_ERASED, stores.tasks, systemClock);
    work = new TranslationWork(documents, engine, source, new WorkMetrics(createMetrics()), systemClock, silentLogger());
    await order();
    await work.perform(KEY, new AbortController().signal);
    translator.batchesMade.length = 0;
  });
  afterEach(() => stores.close());

  /** Orders the translation of a new version of the transcript. */
  const order = async () => {
    version++;
    await orders.create({ jobId: KEY.jobId, accountId: KEY.accountId, language: 'de' });
  };
  const document = async () => (await documents.translations.get(KEY.id))!.document;
  const readable = async (): Promise<string> => {
    const read = await document();
    const pages = await Promise.all(Array.from({ length: read.pageCount }, (_, number) => documents.translationPages.get(translationPageId(KEY.id, readableEdition(read) ?? -1, number))));
    return pages.flatMap((page) => page?.document.segments.map(({ text }) => text) ?? ['missing']).join(' ');
  };
  /** As a worker of the version before does, which knows no editions and leaves them as they are. */
  const completeByFormerVersion = async (...pages: string[][]) => {
    for (const [number, words] of pages.entries()) {
      const page = { id: `${KEY.id}.${number}`, createdAt: '2026-11-25T10:00:00Z', jobId: KEY.jobId, translationId: KEY.id, number, segments: words.map((text) => ({ segmentId: 'seg_000001', text })) };
      await documents.translationPages.update(page.id, () => ({ document: page as unknown as TranslationPage }));
    }
    await documents.translations.update(KEY.id, (current) => current && { document: { ...current, status: 'completed', pageCount: pages.length, transcriptVersion: version } });
  };

  it('costs a split segment no more than its own batch, and leaves no page of the edition before', async () => {
    texts.splice(1, 1, ['seg_000002', 't'], ['seg_000002-1', 'wo']);
    await order();
    await work.perform(KEY, new AbortController().signal);
    expect(translator.batchesMade).toEqual([['one', 't', 'wo']]);
    expect(await readable()).toBe('ONE T WO THREE FOUR FIVE SIX SEVEN EIGHT');
    expect(await documents.translationPages.count({ jobId: KEY.jobId })).toBe(3);
  });

  it.each([
    ['the model failed', () => Promise.reject(new Error('interrupted'))],
    ['it was stopped', async (stop: (reason: Error) => void) => stop(new Error('interrupted'))],
  ])('can be read as it was until the new one is complete, and goes on after an attempt in which %s', async (_, interrupt) => {
    const before = await readable();
    texts[0] = ['seg_000001', 'first'];
    texts[7] = ['seg_000008', 'last'];
    await order();
    const stopped = new AbortController();
    translator.before = async ({ first }) => {
      expect(await readable()).toBe(before);
      if (first !== 6) return;
      await eventually('the page of the first batch', async () => (await documents.translationPages.get(translationPageId(KEY.id, 2, 0))) !== undefined);
      await interrupt((reason) => stopped.abort(reason));
    };
    await expect(work.perform(KEY, stopped.signal)).rejects.toThrow('interrupted');
    expect(await readable()).toBe(before);
    translator.before = () => Promise.resolve();
    translator.batchesMade.length = 0;
    await work.perform(KEY, new AbortController().signal);
    expect(translator.batchesMade).toEqual([['seven', 'last']]);
    expect(await readable()).toBe('FIRST TWO THREE FOUR FIVE SIX SEVEN LAST');
  });

  it('can be read while it is made again when the version before made it', async () => {
    await completeByFormerVersion(['EINS'], ['ZWEI']);
    await documents.translations.update(KEY.id, (current) => current && { document: { ...current, edition: undefined, editionVersion: undefined } });
    await order();
    expect(await document()).toMatchObject({ status: 'pending', edition: 0 });
    expect(await readable()).toBe('EINS ZWEI');
    await work.perform(KEY, new AbortController().signal);
    expect(await readable()).toBe('ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT');
  });

  it('is the text of the version before when a worker of it made the last one', async () => {
    await order();
    await completeByFormerVersion(['EINS', 'ZWEI']);
    expect(await readable()).toBe('EINS ZWEI');
    await order();
    expect(await readable()).toBe('EINS ZWEI');
    await work.perform(KEY, new AbortController().signal);
    expect(await readable()).toBe('ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT');
  });

  it('reads no page of another language', async () => {
    const other = { id: 'job_1.fr.1.0', createdAt: '2026-11-25T10:00:00Z', jobId: KEY.jobId, translationId: 'job_1.fr', edition: 1, number: 0, segments: [{ segmentId: 'seg_000001', text: 'UN' }] };
    await documents.translationPages.update(other.id, () => ({ document: other }));
    await order();
    await work.perform(KEY, new AbortController().signal);
    expect((await documents.translationPages.get(other.id))?.document).toEqual(other);
  });
});
