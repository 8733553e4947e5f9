import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ingest, transcription, transcripts, type JobService, type TranscriptService } from '@parlance/contracts';
import { createMetrics, silentLogger, systemClock } from '@parlance/platform';
import { storesOnSqlite, type StageStores } from '@parlance/stage/contract';
import type { SpokenLine } from '@parlance/text-analysis';
import type { SummaryEngine } from '../src/engine/summary-engine.js';
import { TranscriptSource } from '../src/transcripts/transcript-source.js';
import { readableEdition, translationPageId } from '../src/translations/translation-document.js';
import { TranslationWork } from '../src/translations/translation-work.js';
import type { TranslationBatch, Translator } from '../src/translations/translator.js';
import { WorkDocuments } from '../src/work/work-documents.js';
import { WorkMetrics } from '../src/work/work-metrics.js';

const KEY = { id: 'job_1.de', jobId: 'job_1', accountId: 'acc_1' };

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
  let work: TranslationWork;
  let texts: [id: string, text: string][];

  beforeEach(async () => {
    stores = await storesOnSqlite();
    documents = new WorkDocuments(stores.documents);
    translator = new CapitalTranslator();
    texts = 'one two three four five six seven eight'.split(' ').map((text, index) => [`seg_00000${index + 1}`, text]);
    const header = () => transcription.TranscriptHeader.fromPartial({ language: 'en', version: texts.length });
    const jobs = { getJob: async () => ({ job: ingest.Job.fromPartial({ jobId: KEY.jobId, accountId: KEY.accountId }) }) } as unknown as JobService;
    const transcript = {
      async *getTranscript() {
        yield { header: header(), segments: texts.map(([segmentId, text]) => transcripts.Segment.fromPartial({ segmentId, text })) };
      },
      listSpeakers: async () => ({ speakers: [], version: 1, merges: {}, revision: 0 }),
    } as unknown as TranscriptService;
    work = new TranslationWork(documents, { translator } as unknown as SummaryEngine, new TranscriptSource(transcript, jobs), new WorkMetrics(createMetrics()), systemClock, silentLogger());
    await order();
    await work.perform(KEY, new AbortController().signal);
    translator.batchesMade.length = 0;
  });
  afterEach(() => stores.close());

  const order = async () => {
    const createdAt = systemClock.now().toISOString();
    const fresh = { ...KEY, createdAt, requestedAt: createdAt, language: 'de', segmentsTotal: 0, segmentsDone: 0, pageCount: 0 };
    await documents.translations.update(KEY.id, (current) => ({ document: { ...(current ?? fresh), status: 'pending' } }));
  };
  const readable = async (): Promise<string> => {
    const { edition, status, pageCount } = (await documents.translations.get(KEY.id))!.document;
    const pages = await Promise.all(Array.from({ length: pageCount }, (_, number) => documents.translationPages.get(translationPageId(KEY.id, readableEdition({ edition, status }) ?? -1, number))));
    return pages.flatMap((page) => page?.document.segments.map(({ text }) => text) ?? ['missing']).join(' ');
  };

  it('costs a split segment no more than its own batch, and leaves no page of the edition before', async () => {
    texts.splice(1, 1, ['seg_000002', 't'], ['seg_000002-1', 'wo']);
    await order();
    await work.perform(KEY, new AbortController().signal);
    expect(translator.batchesMade).toEqual([['one', 't', 'wo']]);
    expect(await readable()).toBe('ONE T WO THREE FOUR FIVE SIX SEVEN EIGHT');
    expect(await documents.translationPages.count({ jobId: KEY.jobId })).toBe(3);
  });

  it('can be read as it was until the new one is complete, and goes on after an attempt that was interrupted', async () => {
    const before = await readable();
    texts[0] = ['seg_000001', 'first'];
    texts[7] = ['seg_000008', 'last'];
    await order();
    const stopped = new AbortController();
    translator.before = async ({ first }) => {
      expect(await readable()).toBe(before);
      if (first === 6) throw new Error('the model is gone');
    };
    await expect(work.perform(KEY, stopped.signal)).rejects.toThrow('the model is gone');
    expect(await readable()).toBe(before);
    translator.before = () => Promise.resolve();
    translator.batchesMade.length = 0;
    await work.perform(KEY, new AbortController().signal);
    expect(translator.batchesMade).toEqual([['seven', 'last']]);
    expect(await readable()).toBe('FIRST TWO THREE FOUR FIVE SIX SEVEN LAST');
  });
});
