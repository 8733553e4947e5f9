import { randomBytes } from 'node:crypto';
import { openSearchIndex } from '@parlance/search-index';
import { migrateSearchIndex } from '@parlance/search-index/opensearch';

/**
 * An index of one's own on the server of `OPENSEARCH_URL`, gone afterwards.
 * @param work is given the index, where its passages are searched by hand, and `settle`, which shows what was put, in one segment:
 *   each search looks through all, which are as many as merging left by chance
 */
export async function withOpenSearchIndex(dimensions, work) {
  const server = process.env.OPENSEARCH_URL;
  if (!server) throw new Error('OPENSEARCH_URL is not set');
  const prefix = `bench-${randomBytes(4).toString('hex')}`;
  const url = `opensearch+${server}/${prefix}?replicas=0`;
  const passages = `${server}/${prefix}-passages`;
  await migrateSearchIndex(url, { dimensions });
  const index = await openSearchIndex(url, { dimensions });
  const settle = async () => {
    await postJson(`${passages}/_forcemerge?max_num_segments=1`);
    await postJson(`${passages}/_refresh`);
  };
  try {
    return await work({ index, passages, settle });
  } finally {
    await index.close();
    await fetch(`${server}/${prefix}-*`, { method: 'DELETE' });
  }
}

/** @throws Error with what the server says is wrong */
export async function postJson(url, body) {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}
