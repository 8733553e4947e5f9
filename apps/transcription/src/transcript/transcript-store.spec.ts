import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { SEGMENTS_PER_PAGE } from './transcript-documents.js';
import { TranscriptStore } from './transcript-store.js';

describe('stored transcripts', () => {
  let folder: string;
  let documents: DocumentDatabase;
  let store: TranscriptStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-transcripts-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'documents.db')}`, { clock: systemClock, ids: ulidGenerator(), source: 'transcription' });
    store = new TranscriptStore(documents, systemClock);
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  it('that are erased while they are read break off with an error, and do not pass for shorter ones', async () => {
    const { pageCount } = await store.writePages('job_1', segments(2 * SEGMENTS_PER_PAGE), { accountId: 'acc_1', planRun: 1 });
    expect(pageCount).toBe(2);
    const pages = store.readPages({ id: 'job_1', pageCount });
    expect((await pages.next()).value).toHaveLength(SEGMENTS_PER_PAGE);
    await store.remove('job_1');
    await expect(pages.next()).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('that rules punctuated end a sentence where another speaker goes on, also at the edge of a page, whether the turns come first or later', async () => {
    const turns = { run: 1, spoken: [{ speakerId: 'S1', start: 0, end: SEGMENTS_PER_PAGE }, { speakerId: 'S2', start: SEGMENTS_PER_PAGE, end: SEGMENTS_PER_PAGE + 9 }] };
    const atEdge = async () => [...(await store.page('job_1', 0)).slice(-1), ...(await store.page('job_1', 1))].map(({ text }) => text);
    const { pageCount } = await store.writePages('job_1', words(SEGMENTS_PER_PAGE + 1), { accountId: 'acc_1', planRun: 1, turns, isWrittenHere: () => true });
    expect(await atEdge()).toEqual(['word.', 'Word']);
    await store.writePages('job_1', words(SEGMENTS_PER_PAGE + 1), { accountId: 'acc_1', planRun: 2, isWrittenHere: () => true });
    expect(await atEdge()).toEqual(['word', 'word']);
    const transcript = { id: 'job_1', accountId: 'acc_1', pageCount, language: 'en-US' };
    expect(await store.assignSpeakers({ ...transcript, formatting: 'engine' }, turns)).toBe(SEGMENTS_PER_PAGE + 1);
    expect(await atEdge()).toEqual(['word', 'word']);
    await store.assignSpeakers({ ...transcript, formatting: 'rules' }, turns);
    expect(await atEdge()).toEqual(['word.', 'Word']);
  });

  it('of a version before keep a change that is made while they are completed again for a later run', async () => {
    const header = { id: 'job_1', createdAt: '', accountId: 'acc_1', language: 'en', duration: 10, version: 1, engine: 'fixture', warnings: [], segmentCount: 0, wordCount: 0, pageCount: 0 };
    const read = { ...header, run: 1, speakers: [{ speakerId: 'S1', name: 'Speaker 1', talkTime: 0 }] };
    await store.complete(read, () => []);
    await store.update('job_1', (current) => ({ document: { ...current, version: 2, speakers: [{ speakerId: 'S1', name: 'Ada', talkTime: 0 }] } }));
    expect(await store.complete({ ...read, run: 2 }, () => [])).toMatchObject({ run: 2, version: 2, speakers: [{ name: 'Ada' }] });
  });
});

async function* segments(count: number) {
  for (let index = 0; index < count; index++) {
    yield { segmentId: `seg_${index}`, start: index, end: index + 1, text: 'word', confidence: 1, words: [] };
  }
}

async function* words(count: number) {
  for await (const segment of segments(count)) yield { ...segment, words: [{ start: segment.start, end: segment.end, text: segment.text }] };
}
