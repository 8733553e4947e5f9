import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ingest, transcription, transcripts, type JobService, type TranscriptService } from '@parlance/contracts';
import { createMetrics, silentLogger, systemClock } from '@parlance/platform';
import { storesOnSqlite, type StageStores } from '@parlance/stage/contract';
import type { FoundEntities, FoundEntity, SummaryEngine, TranscriptText } from '../src/engine/summary-engine.js';
import { SpeakerChanges } from '../src/speakers/speaker-changes.js';
import { TranscriptSource } from '../src/transcripts/transcript-source.js';
import { EntitiesWork } from '../src/work/entities-work.js';
import { WorkDocuments } from '../src/work/work-documents.js';
import { WorkMetrics } from '../src/work/work-metrics.js';

const KEY = { id: 'job_1', jobId: 'job_1', accountId: 'acc_1' };
const FIRST = { id: 1, text: 'we pay', start: 0, speakerId: 'S_0' };
const WHOLE = { id: 2, text: 'yes five hundred dollars', start: 10, speakerId: 'S_0' };

interface Said {
  id: number;
  text: string;
  start: number;
  speakerId: string;
}

/** A word a second. */
const segment = ({ id, text, start, speakerId }: Said): transcripts.Segment => {
  const words = text.split(' ').map((word, index) => ({ text: word, start: start + index, end: start + index + 1 }));
  return transcripts.Segment.fromPartial({ segmentId: `seg_00000${id}`, text, start, end: start + words.length, speakerId, words });
};

describe('entities of a transcript that changes', () => {
  let stores: StageStores;
  let documents: WorkDocuments;
  let changes: SpeakerChanges;
  let work: EntitiesWork;
  let segments: transcripts.Segment[];
  let version: number;
  let searches: number;
  let duringSearch: () => void;

  beforeEach(async () => {
    stores = await storesOnSqlite();
    documents = new WorkDocuments(stores.documents);
    segments = [segment(FIRST), segment(WHOLE)];
    version = 1;
    searches = 0;
    duringSearch = () => undefined;
    const jobs = { getJob: async () => ({ job: ingest.Job.fromPartial({ jobId: KEY.jobId, accountId: KEY.accountId }) }) } as unknown as JobService;
    const transcript = {
      async *getTranscript() {
        yield { header: transcription.TranscriptHeader.fromPartial({ language: 'en', version }), segments };
      },
      listSpeakers: async () => ({ speakers: [], version, merges: {}, revision: 0 }),
    } as unknown as TranscriptService;
    const source = new TranscriptSource(transcript, jobs);
    changes = new SpeakerChanges(documents, source);
    work = new EntitiesWork(documents, { findEntities } as unknown as SummaryEngine, changes, source, new WorkMetrics(createMetrics()), systemClock, silentLogger());
  });
  afterEach(() => stores.close());

  const findEntities = async ({ lines }: TranscriptText): Promise<FoundEntities> => {
    searches++;
    const entities = lines.flatMap(({ segmentId, text }): FoundEntity[] => {
      const from = text.indexOf('five hundred dollars');
      return from < 0 ? [] : [{ type: 'money', segmentId, from, to: from + 20, normalized: 'USD 500', method: 'model' }];
    });
    duringSearch();
    return { engine: 'stand-in', language: 'en', droppedItems: 0, warnings: [], method: 'model', entities };
  };
  const change = (...changed: Said[]) => {
    segments = changed.map(segment);
    version++;
  };
  const search = () => work.perform(KEY, new AbortController().signal);
  const found = async () => (await documents.entities.get(KEY.id))?.document.result?.entities;
  const MONEY = { type: 'money', text: 'five hundred dollars', normalized: 'USD 500', method: 'model', start: 11, end: 14 };

  it('are searched for once when the transcript changes meanwhile, and are at their present words', async () => {
    duringSearch = () => change(FIRST, { ...WHOLE, text: 'Yes?' }, { id: 3, text: 'Five hundred dollars.', start: 11, speakerId: 'S_1' });
    expect(await search()).toMatchObject({ status: 'completed' });
    expect(searches).toBe(1);
    expect(await found()).toEqual([{ ...MONEY, text: 'Five hundred dollars', segmentId: 'seg_000003', wordIds: ['3.1', '3.2', '3.3'], speakerId: 'S_1' }]);
  });

  it('are in the segment with their text when another one is spoken at the same time, and keep the text that they had when it was edited', async () => {
    await search();
    const [before, after] = [3, 4].map((id) => ({ id, text: 'wait now please', start: 11, speakerId: 'S_1' })) as [Said, Said];
    change(FIRST, before, WHOLE, after);
    await changes.relocateEvidence(KEY, new AbortController().signal);
    expect(await found()).toEqual([{ ...MONEY, segmentId: 'seg_000002', wordIds: ['2.2', '2.3', '2.4'], speakerId: 'S_0' }]);
    change(FIRST, { ...WHOLE, id: 5, text: 'yes six hundred dollars', speakerId: 'S_2' });
    await changes.relocateEvidence(KEY, new AbortController().signal);
    expect(await found()).toEqual([{ ...MONEY, segmentId: 'seg_000005', wordIds: ['5.2', '5.3', '5.4'], speakerId: 'S_2' }]);
  });

  it('keep their place when their words are gone', async () => {
    await search();
    const before = await found();
    change(FIRST);
    await changes.relocateEvidence(KEY, new AbortController().signal);
    expect(await found()).toEqual(before);
  });
});
