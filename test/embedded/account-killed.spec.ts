import { expect, it } from '@jest/globals';
import { chanceFor } from '@parlance/platform/contract';
import { eventually, NO_ADD_ONS, ParlanceProcess, SAMPLES, type TestApi } from '@parlance/testing';
import { createHash } from 'node:crypto';
import { strFromU8, unzipSync } from 'fflate';
import { collectionsWith } from '../system/account-traces.js';

const KILLS = 3;
const JOBS = 6;
/** Milliseconds of work before a kill, at most. */
const MAX_WORK_MS = 1500;
const { random } = chanceFor('account-killed');

async function killSometimes(parlance: ParlanceProcess): Promise<void> {
  for (let kills = 0; kills < KILLS; kills += 1) {
    await new Promise((resolve) => setTimeout(resolve, random() * MAX_WORK_MS));
    await parlance.kill();
    await parlance.restart();
  }
}

async function archiveOf(api: TestApi): Promise<Record<string, Uint8Array>> {
  return unzipSync(new Uint8Array(await (await api.request('GET', '/account/export/archive')).arrayBuffer()));
}

it('a process that is killed with -9 completes the export and the erasure of an account, and leaves nothing of either', async () => {
  await using parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:?words=Xanthippe', ACCOUNT_DELETION_DAYS: '0' } });
  const own = await parlance.newAccount();
  // The address of the server is another one after a restart.
  const api = () => parlance.api.as(own.apiKey);
  const jobIds: string[] = [];
  for (let count = 0; count < JOBS; count += 1) jobIds.push(await api().upload(SAMPLES.reading.path, NO_ADD_ONS));
  for (const jobId of jobIds) await api().terminal(jobId);
  const { account_id: accountId } = await api().json<{ account_id: string }>('/account');

  const { export_id: exportId } = (await (await api().post('/account/export', { media: true })).json()) as { export_id: string };
  await killSometimes(parlance);
  await eventually('the export', async () => (await api().json<{ status: string }>('/account/export')).status === 'completed');
  const files = await archiveOf(api());
  const manifest = JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array())) as { files: { name: string; sha256: string }[] };
  expect(manifest.files.map(({ name }) => name).toSorted()).toEqual(Object.keys(files).filter((name) => name !== 'manifest.json').toSorted());
  for (const { name, sha256 } of manifest.files) expect([name, createHash('sha256').update(files[name] ?? '').digest('hex')]).toEqual([name, sha256]);
  for (const jobId of jobIds) expect(Object.keys(files)).toEqual(expect.arrayContaining([`transcriptions/${jobId}/job.json`, `transcriptions/${jobId}/media/source`]));
  await eventually('the parts to be gone', async () => (await parlance.media(exportId)).join() === 'archive.zip');

  const { deletion } = (await (await api().request('DELETE', '/account')).json()) as { deletion: { erasure_id: string } };
  await killSometimes(parlance);
  await eventually('the receipt', async () => {
    const answer = await fetch(`${parlance.api.url}/api/v1/account-erasures/${deletion.erasure_id}`);
    return answer.ok && ((await answer.json()) as { status: string }).status === 'completed';
  });
  expect(await collectionsWith(parlance, accountId)).toEqual([]);
  for (const id of [exportId, ...jobIds]) expect(await parlance.media(id)).toEqual([]);
  expect((await api().request('GET', '/account')).status).toBe(401);
});
