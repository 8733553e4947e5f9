import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embedderFromUrl } from '@parlance/engines';
import { passagesOf } from '@parlance/search/passages';
import { openSearchIndex } from '@parlance/search-index';
import { labelledSet, segmentsOf } from './labelled-set.mjs';

const DIMENSIONS = 256;
const accountId = 'bench';
const signal = new AbortController().signal;

/** The labelled conversations in an embedded index of their own. @param work is given which turn each passage is of, too */
export async function withIndexedSet(work) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
  const index = await openSearchIndex(`sqlite:${join(folder, 'search.db')}`, { dimensions: DIMENSIONS });
  const embedder = embedderFromUrl('static:', { dimensions: DIMENSIONS });
  try {
    const turns = new Map();
    for (const transcript of labelledSet().transcripts) await put(index, embedder, transcript, turns);
    return await work({ index, embedder, turns });
  } finally {
    await index.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function put(index, embedder, transcript, turns) {
  const segments = segmentsOf(transcript);
  const passages = [];
  for await (const passage of passagesOf(segments, 'en', new Map())) passages.push(passage);
  const vectors = await embedder.embed({ texts: passages.map(({ text }) => text), purpose: 'passage', signal });
  const embedded = passages.map((passage, place) => ({ ...passage, embedding: vectors[place] }));
  await index.put({ accountId, jobId: transcript.id, version: 1, createdAt: '2026-01-01T00:00:00.000Z', duration: 60, passages: embedded });
  for (const { segmentId, turn } of segments) turns.set(`${transcript.id} ${segmentId}`, turn);
}
