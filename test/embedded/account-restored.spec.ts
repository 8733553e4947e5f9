import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { eventually, NO_ADD_ONS, ParlanceProcess, runAdmin, SAMPLES } from '@parlance/testing';
import { collectionsWith } from '../system/account-traces.js';

it('an account that was erased after a backup does not come back with it, and others do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-account-restored-'));
  const env = { SPEECH_ENGINE_URL: 'fixture:?words=Xanthippe', ACCOUNT_DELETION_DAYS: '0', ERASURE_LOG: join(folder, 'erasures') };
  try {
    await using parlance = await ParlanceProcess.start({ env });
    const [erased, kept] = [await parlance.newAccount(), await parlance.newAccount()];
    const jobIds: string[] = [];
    for (const api of [erased, kept]) {
      jobIds.push(await api.upload(SAMPLES.reading.path, NO_ADD_ONS));
      await api.terminal(jobIds.at(-1) ?? '');
      await api.post('/webhook-endpoints', { url: 'https://example.org/hook' });
    }
    const { account_id: accountId } = await erased.json<{ account_id: string }>('/account');
    await runAdmin(parlance.settings, 'backup', 'create', join(folder, 'one.tar'));
    const { deletion } = (await (await erased.request('DELETE', '/account')).json()) as { deletion: { erasure_id: string } };
    await eventually('the erasure', async () => {
      const answer = await fetch(`${parlance.api.url}/api/v1/account-erasures/${deletion.erasure_id}`);
      return answer.ok && ((await answer.json()) as { status: string }).status === 'completed';
    });
    await parlance.stop();

    const target = join(folder, 'restored');
    const report = JSON.parse(await runAdmin({ ...env, PARLANCE_DATA: target }, 'backup', 'restore', join(folder, 'one.tar'), '--erasures', join(folder, 'erasures'), '--json')) as { erased_again: number };
    // The job, and the account.
    expect(report.erased_again).toBe(2);
    await copyFile(join(parlance.dataFolder, 'master-keys'), join(target, 'master-keys'));
    await using again = await ParlanceProcess.start({ env, dataFolder: target });
    expect(await collectionsWith(again, accountId)).toEqual([]);
    expect((await again.api.as(erased.apiKey).request('GET', '/account')).status).toBe(401);
    expect(await again.api.as(kept.apiKey).job(jobIds[1] ?? '')).toMatchObject({ status: 'completed' });
    expect((await fetch(`${again.api.url}/api/v1/account-erasures/${deletion.erasure_id}`)).status).toBe(200);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
