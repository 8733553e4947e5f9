import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embedderFromUrl } from '@parlance/engines';
import { passagesOf } from '@parlance/search/passages';
import { openSearchIndex } from '@parlance/search-index';
import { withOpenSearchIndex } from '../opensearch-index.mjs';
import { labelledSet, segmentsOf } from './labelled-set.mjs';

const DIMENSIONS = 256;
const accountId = 'bench';
const signal = new AbortController().signal;

/** The labelled conversations in an embedded index of their own. @param work is given which turn each passage is of, too */
export async function withIndexedSet(work, { transcripts } = labelledSet()) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
  const index = await openSearchIndex(`sqlite:${join(folder, 'search.db')}`, { dimensions: DIMENSIONS });
  try {
    const set = emptySet(index);
    for (const transcript of transcripts) await put(set, transcript);
    return await work(set);
  } finally {
    await index.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The same on the server of `OPENSEARCH_URL`. */
export function withIndexedSetOnOpenSearch(work, { transcripts } = labelledSet()) {
  return withOpenSearchIndex(DIMENSIONS, async ({ index, settle }) => {
    const set = emptySet(index);
    // Together, as it takes as long for one as for many.
    await Promise.all(transcripts.map((transcript) => put(set, transcript)));
    await settle();
    return work(set);
  });
}

const emptySet = (index) => ({ index, embedder: embedderFromUrl('static:', { dimensions: DIMENSIONS }), turns: new Map() });

async function put({ index, embedder, turns }, transcript) {
  const segments = segmentsOf(transcript);
  const passages = [];
  for await (const passage of passagesOf(segments, 'en', new Map())) passages.push(passage);
  const vectors = await embedder.embed({ texts: passages.map(({ text }) => text), purpose: 'passage', signal });
  const embedded = passages.map((passage, place) => ({ ...passage, embedding: vectors[place] }));
  await index.put({ accountId, jobId: transcript.id, version: 1, createdAt: '2026-01-01T00:00:00.000Z', duration: 60, passages: embedded });
  for (const { segmentId, turn } of segments) turns.set(`${transcript.id} ${segmentId}`, turn);
}
