import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { JobErasure } from '@parlance/stage';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase } from '@parlance/storage';
import type { Segment } from '@parlance/transcript';
import { JobLedger } from '../jobs/job-ledger.js';
import type { TranscriptDocument } from '../transcript/transcript-documents.js';
import { PagesOvertaken } from '../transcript/page-inputs.js';
import { SpeakerAssigner } from '../transcript/speaker-assigner.js';
import { TranscriptStore } from '../transcript/transcript-store.js';
import { EditedPages, PAGE_CHANGES } from './edited-pages.js';
import { EditedSpeakers } from './edited-speakers.js';
import { RevisionReader } from './revision-reader.js';
import { TranscriptEditor } from './transcript-editor.js';

const JOB = 'job_1';
const REQUEST = { accountId: 'acc_1', jobId: JOB, ifMatch: [] };
const ANYWHERE = { matchCase: false, wholeWords: false, dryRun: false };

/** A store whose commits can have an outcome that is lost, or a change of another client just before them. */
class UnreliableTranscripts extends TranscriptStore {
  failsAfterCommit = false;
  beforeCommit?: (() => Promise<unknown>) | undefined;

  override async update(...[jobId, change]: Parameters<TranscriptStore['update']>): Promise<TranscriptDocument | undefined> {
    await this.beforeCommit?.();
    const stored = await super.update(jobId, change);
    if (this.failsAfterCommit) throw new Error('the connection was lost');
    return stored;
  }
}

/** Stored pages whose removal can fail. */
class UnreliablePages extends EditedPages {
  removalFails = false;

  override async removePages(ids: readonly string[]): Promise<void> {
    if (this.removalFails && ids.length > 0) throw new Error('the store is not there');
    await super.removePages(ids);
  }
}

describe('an edit of a transcript', () => {
  let folder: string;
  let documents: DocumentDatabase;
  let transcripts: UnreliableTranscripts;
  let pages: UnreliablePages;
  let reader: RevisionReader;
  let editor: TranscriptEditor;
  let ledger: JobLedger;
  let erasure: JobErasure;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-editor-'));
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'documents.db')}`, { clock: systemClock, ids: ulidGenerator(), source: 'transcription' });
    transcripts = new UnreliableTranscripts(documents, systemClock);
    pages = new UnreliablePages(documents, systemClock, ulidGenerator());
    reader = new RevisionReader(transcripts, pages);
    ledger = new JobLedger(documents, systemClock);
    erasure = new JobErasure({ ledger, holdings: { what: 'transcripts', where: 'transcription', count: (job) => pages.count(job.jobId), remove: (job) => pages.remove(job.jobId) }, clock: systemClock });
    editor = new TranscriptEditor(transcripts, pages, reader, erasure, systemClock, silentLogger());
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  const transcript = async (): Promise<TranscriptDocument> => (await transcripts.get(JOB)) as TranscriptDocument;
  const store = async (texts: readonly string[]): Promise<void> => {
    const stored = await transcripts.writePages(JOB, segments(texts), { accountId: 'acc_1', planRun: 1, turns: { run: 1, spoken: [{ speakerId: 'S1', start: 0, end: 1000 }] } });
    const speakers = ['S1', 'S2'].map((speakerId) => ({ speakerId, name: speakerId, talkTime: 100 }));
    const document = { id: JOB, createdAt: '', accountId: 'acc_1', run: 1, planRun: 1, language: 'en', duration: 1000, version: 1, speakers, turns: { turnsKey: 'turns', run: 1 }, ...stored, engine: 'fixture', warnings: [] };
    await transcripts.complete(document, () => []);
  };
  const texts = async (): Promise<string[]> => (await reader.page(await transcript(), 0)).map(({ text }) => text);
  const edit = (text: string) => editor.edit(REQUEST, [{ kind: 'edit', segmentId: 'seg_000001', text }]);

  it('can be read although the outcome of its commit was lost', async () => {
    await store(['one two']);
    transcripts.failsAfterCommit = true;
    await expect(edit('one three')).rejects.toThrow('the connection was lost');
    expect(await transcript()).toMatchObject({ revision: 1 });
    expect(await texts()).toEqual(['one three']);
  });

  it('is done although the page before it cannot be removed', async () => {
    await store(['one two']);
    await edit('one three');
    pages.removalFails = true;
    expect(await edit('one four')).toMatchObject({ transcript: { revision: 2 } });
    expect(await texts()).toEqual(['one four']);
  });

  it('leaves nothing behind when it is refused, or loses the race against another one', async () => {
    await store(['one two', 'three four']);
    transcripts.beforeCommit = async () => {
      transcripts.beforeCommit = undefined;
      await edit('one of another editor');
    };
    await editor.edit(REQUEST, [{ kind: 'edit', segmentId: 'seg_000002', text: 'three five' }]);
    expect(await texts()).toEqual(['one of another editor', 'three five']);
    await expect(editor.replace(REQUEST, { ...ANYWHERE, find: 'three', replace: 'x'.repeat(6000) })).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await pages.count(JOB)).toBe(3);
  });

  it('counts the talk time of a speaker that is merged into another one meanwhile', async () => {
    await store(['one two', 'three']);
    transcripts.beforeCommit = async () => {
      transcripts.beforeCommit = undefined;
      await transcripts.update(JOB, (current) => ({ document: { ...current, merges: { S1: 'S2' }, speakers: [{ speakerId: 'S2', name: 'S2', talkTime: 200 }] } }));
    };
    await editor.edit(REQUEST, [{ kind: 'delete', segmentId: 'seg_000001' }]);
    expect((await transcript()).speakers).toEqual([{ speakerId: 'S2', name: 'S2', talkTime: 198 }]);
  });

  it.each([true, false])('makes no segment longer than an edit may, with dry_run %s', async (dryRun) => {
    await store(['eeeeee', 'one']);
    await expect(editor.replace(REQUEST, { ...ANYWHERE, dryRun, find: 'e', replace: 'x'.repeat(1000) })).rejects.toMatchObject({ fields: [{ pointer: '/replace', code: 'too_long' }] });
    expect(await texts()).toEqual(['eeeeee', 'one']);
  });

  it.each([true, false])('makes no page longer than is stored, with dry_run %s', async (dryRun) => {
    await store(Array.from({ length: 200 }, () => 'e'));
    await expect(editor.replace(REQUEST, { ...ANYWHERE, dryRun, find: 'e', replace: 'x'.repeat(1000) })).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('too much text') });
  });

  it.each([true, false])('makes no page of more words than one may have, whatever was recognized, with dry_run %s', async (dryRun) => {
    await store(Array.from({ length: 4 }, () => 'w'));
    const dense = (words: number) => [1, 2, 3, 4].map((number) => ({ kind: 'edit' as const, segmentId: `seg_00000${number}`, text: 'w '.repeat(words) }));
    const doubled = () => editor.replace(REQUEST, { ...ANYWHERE, dryRun, find: 'w', replace: 'w w' });
    await editor.edit(REQUEST, dense(800));
    await expect(doubled()).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('too many words') });
    expect((await transcript()).revision).toBe(1);
    await editor.edit(REQUEST, dense(600));
    expect((await doubled()).changedSegments).toBe(4);
  });

  it('may have half as many words again as were recognized, however many those are', async () => {
    await store(Array.from({ length: 10 }, () => Array.from({ length: 600 }, () => 'w').join(' ')));
    expect((await editor.replace(REQUEST, { ...ANYWHERE, dryRun: true, find: 'w w', replace: 'w w w' })).matches).toBe(3000);
    await expect(editor.replace(REQUEST, { ...ANYWHERE, dryRun: true, find: 'w', replace: 'w w' })).rejects.toMatchObject({ message: expect.stringContaining('too many words') });
  });

  it('changes nothing when its caller has been answered that it failed', async () => {
    await store(['one two']);
    const signal = AbortSignal.abort(new Error('timed out'));
    await expect(editor.edit({ ...REQUEST, signal }, [{ kind: 'edit', segmentId: 'seg_000001', text: 'one three' }])).rejects.toThrow('timed out');
    expect([await texts(), await pages.count(JOB)]).toEqual([['one two'], 0]);
  });

  it('shows the changes of the first 100 segments, however many follow one another', async () => {
    await store(Array.from({ length: 300 }, () => 'one two'));
    const { changes, changedSegments } = await editor.replace(REQUEST, { ...ANYWHERE, find: 'two', replace: 'three' });
    expect(changedSegments).toBe(300);
    expect(changes.map(({ before, after }) => [before.length, after.length])).toEqual([[100, 100]]);
  });

  it('gives other work its turn while many operations are applied', async () => {
    const long = (seed: number) => Array.from({ length: 800 }, (_, index) => `w${index * seed}`).join(' ');
    await store(Array.from({ length: 20 }, () => long(1)));
    const operations = Array.from({ length: 20 }, (_, index) => ({ kind: 'edit' as const, segmentId: `seg_${String(index + 1).padStart(6, '0')}`, text: long(7) }));
    const refused = editor.edit(REQUEST, [...operations, { kind: 'delete', segmentId: 'seg_999999' }]);
    expect(await turnsDuring(expect(refused).rejects.toMatchObject({ code: 'invalid_request' }))).toBeGreaterThan(3);
  });

  it('keeps the changes of the newest 100 revisions, and nothing of those before', async () => {
    await store(['one two']);
    for (let nth = 1; nth <= 102; nth++) await edit(`one ${nth}`);
    const { revision, revisions = [] } = await transcript();
    expect([revision, revisions.length, revisions[0]?.revision]).toEqual([102, 100, 3]);
    const read = async (nth: number) => (await reader.page(await transcript(), 0, nth))[0]?.text;
    expect([await read(0), await read(2), await read(102)]).toEqual(['one two', 'one 2', 'one 102']);
    await expect(editor.restore(REQUEST, 1)).rejects.toMatchObject({ code: 'not_found' });
    // One edited page, and the changes of each revision that is kept.
    expect(await pages.count(JOB)).toBe(101);
  });

  it('keeps the newest changes for which the account has room', async () => {
    await store(['one two']);
    await edit('one 1');
    const { limitBytes, usedBytes: ofFirst } = await pages.storageOf('acc_1');
    await edit('one 2');
    const ofEach = (await pages.storageOf('acc_1')).usedBytes - ofFirst;
    const other = { id: 'other', createdAt: '', jobId: 'job_2', accountId: 'acc_1', hunks: [], bytes: limitBytes - 3 * ofEach };
    await documents.collection(PAGE_CHANGES).insert(other);
    for (const nth of [3, 4, 5]) await edit(`one ${nth}`);
    expect((await transcript()).revisions?.map(({ revision }) => revision)).toEqual([3, 4, 5]);
    expect(await pages.storageOf('acc_1')).toEqual({ usedBytes: limitBytes, limitBytes });
    await documents.collection(PAGE_CHANGES).replace({ ...other, bytes: limitBytes }, 1);
    await edit('one 6');
    expect(await transcript()).toMatchObject({ revision: 6, revisions: [{ revision: 6, bytes: 0, changes: {} }] });
    const read = async (nth: number) => (await reader.page(await transcript(), 0, nth))[0]?.text;
    expect([await read(0), await read(6)]).toEqual(['one two', 'one 6']);
    await expect(editor.restore(REQUEST, 5)).rejects.toMatchObject({ code: 'not_found' });
    expect(await pages.storageOf('acc_1')).toEqual({ usedBytes: limitBytes, limitBytes });
    await documents.collection(PAGE_CHANGES).remove('other');
    await edit('one 7');
    expect([await read(6), (await transcript()).revisions?.map(({ revision }) => revision)]).toEqual(['one 6', [6, 7]]);
    await expect(editor.restore(REQUEST, 5)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('gives other work its turn while an old revision is read', async () => {
    await store(['one two']);
    for (let nth = 1; nth <= 40; nth++) await edit(`one ${nth}`);
    const read = await transcript();
    // Each look at the clock finds that a millisecond has passed.
    let now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 1));
    let page: Segment[] = [];
    const turns = await turnsDuring(reader.page(read, 0, 1).then((segments) => void (page = segments)));
    clock.mockRestore();
    expect(page[0]?.text).toBe('one 1');
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('leaves one page behind when speakers are assigned after it, also when that is refused at first', async () => {
    await store(['one two']);
    await edit('one three');
    const media = await openMediaStore(`file:${join(folder, 'media')}`);
    const turns = { jobId: JOB, turns: [{ speakerId: 'S1', start: 0, end: 10 }] };
    await media.put('acc_1/job_1/speakers/turns.json', Readable.from([Buffer.from(JSON.stringify(turns))]));
    const assigner = new SpeakerAssigner(ledger, erasure, transcripts, new EditedSpeakers(pages, reader, silentLogger()), media, silentLogger());
    const job = { jobId: JOB, accountId: 'acc_1' };
    await ledger.learn(job, () => ({ turns: { run: 2, turnsKey: 'acc_1/job_1/speakers/turns.json', engine: 'fixture', warnings: [] } }));
    transcripts.beforeCommit = async () => {
      transcripts.beforeCommit = undefined;
      await edit('one four');
    };
    await expect(assigner.assignWhenBothAreThere(job)).rejects.toThrow(PagesOvertaken);
    expect(await pages.count(JOB)).toBe(3);
    await assigner.assignWhenBothAreThere(job);
    expect(await texts()).toEqual(['one four']);
    expect(await pages.count(JOB)).toBe(3);
  });
});

/** The number of turns that the event loop gives to others. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  const counted = { turns: 0, isOver: false };
  void work.catch(() => {}).finally(() => (counted.isOver = true));
  while (!counted.isOver) {
    await setImmediate();
    counted.turns++;
  }
  await work;
  return counted.turns;
}

async function* segments(texts: readonly string[]): AsyncGenerator<Segment> {
  for (const [index, text] of texts.entries()) {
    const start = index * 2;
    const words = text.split(' ').map((word) => ({ start, end: start + 2, text: word, speakerId: 'S1' }));
    yield { segmentId: `seg_${String(index + 1).padStart(6, '0')}`, start, end: start + 2, text, speakerId: 'S1', words };
  }
}
