import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { SpeechEngines } from '@parlance/engines';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import { mergeChunks, redactWords, segmentWords, type PlannedChunk, type Word } from '@parlance/transcript';
import { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import { listChunkSegments } from '../grpc/chunk-segments.js';
import { ChunksController } from '../grpc/chunks.controller.js';
import type { JobLedger } from '../jobs/job-ledger.js';
import { RedactedCheckpoints } from './redacted-checkpoints.js';
import type { Redactions } from './redactions.js';
import { TranscriptStore } from './transcript-store.js';

const JOB = { jobId: 'job_1', accountId: 'acc_1', run: 1, total: 3, planKey: '' };
/** Thirty seconds a chunk, with a second of each neighbor. */
const chunkAt = (index: number, total = 3): PlannedChunk => ({ index, start: Math.max(0, index * 30 - 1), end: Math.min(total * 30, index * 30 + 31), ownStart: index * 30, ownEnd: index * 30 + 30, speech: [], audioKey: '' });

let folder: string;
let documents: DocumentDatabase;
let checkpoints: ChunkCheckpoints;
let transcripts: TranscriptStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-checkpoints-'));
  documents = await openDocumentDatabase(`sqlite:${join(folder, 'documents.db')}`, { clock: systemClock, ids: ulidGenerator(), source: 'transcription' });
  checkpoints = new ChunkCheckpoints(documents, systemClock);
  transcripts = new TranscriptStore(documents, systemClock);
});
afterEach(async () => {
  await documents.close();
  await rm(folder, { recursive: true });
});

/** Each seam cuts a number of six digits. The engine recognizes the words of an overlap in both chunks, with different times, and gives some words no duration. */
const spoken = (offset: number): Word[] => [
  ...['27', '28', '29', '30', '31', '32', '57', '58', '59', '60', '61', '62'].map((digits) => ({ start: Number(digits) - 0.4 + offset, end: Number(digits) - 0.4 + offset + (Number(digits) % 2) / 2, text: digits })),
  ...[10, 40, 80].map((start) => ({ start, end: start + 1, text: 'word' })),
].toSorted((one, other) => one.start - other.start);

const heardIn = ({ index, start, end }: PlannedChunk): Word[] =>
  spoken(index * 0.05).filter((word) => word.start >= start && word.end <= end).map((word) => ({ ...word, start: word.start - start, end: word.end - start }));

/** Finds numbers of six words, as a card number is found whole or not at all. */
const find = async (text: string) => [...text.matchAll(/\d\d(?: \d\d){5}/gu)].map(({ 0: said, index }) => ({ policy: 'number', from: index, to: index + said.length, value: said }));
const redact = (words: AsyncIterable<Word>) => redactWords(words, { find, label: () => '[NUMBER]' });

async function save(index: number): Promise<void> {
  const chunk = chunkAt(index);
  await checkpoints.save({ ...JOB, index }, chunk, { words: heardIn(chunk), speechSeconds: 1, audioSeconds: 1, processingSeconds: 1, engine: 'fixture', warnings: [] });
}

async function list(reword = async () => {}) {
  const { segments, nextChunk } = await listChunkSegments(checkpoints, { jobId: 'job_1', accountId: 'acc_1', fromChunk: 0 }, { write: redact, isRedacted: true, reword, chunksTotal: 3 });
  return { text: segments.map((segment) => segment.text).join(' '), nextChunk };
}

it('the segments of a chunk with redaction follow when the next chunk is done, without what is cut by a seam', async () => {
  await save(0);
  expect(await list()).toEqual({ text: '', nextChunk: 0 });
  await save(2);
  expect(await list()).toEqual({ text: '', nextChunk: 0 });
  await save(1);
  expect(await list()).toEqual({ text: 'word [NUMBER] word [NUMBER] word', nextChunk: 3 });
});

it('the checkpoints of a redacted transcript have its words, also one that no plan has any more', async () => {
  for (const index of [0, 1, 2]) await save(index);
  await checkpoints.save({ ...JOB, index: 3 }, { ...chunkAt(1), index: 3 }, { words: heardIn(chunkAt(1)), speechSeconds: 1, audioSeconds: 1, processingSeconds: 1, engine: 'fixture', warnings: [] });
  const transcript = await merged();
  const redacted = new RedactedCheckpoints(checkpoints, transcripts);
  for (const _ of ['once', 'again']) {
    await redacted.redact(transcript);
    const texts = await Promise.all([0, 1, 2, 3].map(async (index) => (await checkpoints.get('job_1', index))?.words.map(({ text }) => text).join(' ')));
    expect(texts).toEqual(['word [NUMBER]', 'word [NUMBER]', 'word', 'word [NUMBER]']);
    expect((await list()).text).toBe('word [NUMBER] word [NUMBER] word');
  }
});

it('does not list a recognized chunk beside a chunk that already has the words of the transcript', async () => {
  for (const index of [0, 1, 2]) await save(index);
  const redacted = new RedactedCheckpoints(checkpoints, transcripts);
  const transcript = await merged();
  const { reword } = checkpoints;
  // The process that merged dies after the first chunk.
  const reworded = jest.spyOn(checkpoints, 'reword').mockImplementationOnce(reword.bind(checkpoints)).mockRejectedValueOnce(new Error('killed'));
  await expect(redacted.redact(transcript)).rejects.toThrow('killed');
  expect(await list()).toEqual({ text: 'word [NUMBER]', nextChunk: 1 });
  await transcripts.complete(transcript, () => []);
  const media = { chunksTotal: 3, options: { vocabulary: [], redaction: { policies: ['card_number'], style: 'label', audio: false, keepOriginal: false } } };
  const controller = new ChunksController(
    checkpoints,
    { get: async () => ({ media }) } as unknown as JobLedger,
    { find: () => undefined } as unknown as SpeechEngines,
    { ofPart: () => redact, readsModel: () => false } as unknown as Redactions,
    redacted,
    transcripts,
  );
  const listed = await Promise.all([1, 2, 3].map(() => controller.listChunkSegments({ jobId: 'job_1', accountId: 'acc_1', fromChunk: 0 })));
  for (const { segments, nextChunk } of listed) expect([segments.map(({ text }) => text).join(' '), nextChunk]).toEqual(['word [NUMBER] word [NUMBER] word', 3]);
  // Two by the process that was killed, and one for each other chunk by the lists together.
  expect(reworded).toHaveBeenCalledTimes(4);
});

async function merged() {
  const segments = segmentWords(redact(mergeChunks(chunkWords(), { duration: 90 })));
  const written = await transcripts.writePages('job_1', segments, { accountId: 'acc_1', planRun: 1 });
  expect(written.redacted).toEqual({ number: 2 });
  return { id: 'job_1', createdAt: '', accountId: 'acc_1', run: 1, language: 'en', duration: 90, version: 1, engine: 'fixture', warnings: [], speakers: [], ...written };
}

async function* chunkWords() {
  for (const index of [0, 1, 2]) yield { chunk: chunkAt(index), words: heardIn(chunkAt(index)) };
}
