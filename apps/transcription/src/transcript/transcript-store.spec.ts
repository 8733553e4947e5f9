import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { SEGMENTS_PER_PAGE } from './transcript-documents.js';
import { TranscriptStore } from './transcript-store.js';

it('a transcript that is erased while it is read breaks off with an error, and does not pass for a shorter one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-transcripts-'));
  const dependencies = { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'transcription' };
  const documents = await openDocumentDatabase(`sqlite:${join(folder, 'documents.db')}`, dependencies);
  try {
    const store = new TranscriptStore(documents, systemClock);
    const { pageCount } = await store.writePages('job_1', segments(2 * SEGMENTS_PER_PAGE), { planRun: 1 });
    expect(pageCount).toBe(2);
    const pages = store.readPages({ id: 'job_1', pageCount });
    expect((await pages.next()).value).toHaveLength(SEGMENTS_PER_PAGE);
    await store.remove('job_1');
    await expect(pages.next()).rejects.toMatchObject({ kind: 'not_found' });
  } finally {
    await documents.close();
    await rm(folder, { recursive: true });
  }
});

async function* segments(count: number) {
  for (let index = 0; index < count; index++) {
    yield { segmentId: `seg_${index}`, start: index, end: index + 1, text: 'word', confidence: 1, words: [] };
  }
}
