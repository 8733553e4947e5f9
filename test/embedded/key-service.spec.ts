import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, NO_ADD_ONS, ParlanceProcess, runAdmin, SAMPLES } from '@parlance/testing';
import { VaultDouble } from '../../libs/storage/test/key-services/vault-double.js';

/** Seconds that clear keys stay in memory here: more than an upload and a read take. */
const CACHE_SECONDS = 20;
/** Longer than that: what the engine returns cannot be stored any more. */
const ENGINE_MS = (CACHE_SECONDS + 5) * 1000;

describe('the product with a key service', () => {
  let data: string;
  let vault: VaultDouble;
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'parlance-key-service-'));
    vault = await VaultDouble.start();
    vault.keys.create('parlance');
  });
  afterEach(async () => {
    await vault.http.stop();
    await rm(data, { recursive: true, force: true });
  });

  const start = (env: Record<string, string> = {}) =>
    ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:', KEY_PROVIDER: `vault-transit:${vault.http.url}/transit/parlance`, VAULT_TOKEN: 'root', KEY_CACHE_SECONDS: String(CACHE_SECONDS), ...env }, dataFolder: data });
  const unwraps = () => vault.http.requests.filter(({ path }) => path.includes('/decrypt/')).length;

  it('reads with cached keys while the service is away, then answers 503; a job waits, and all goes on when it is back', async () => {
    await using parlance = await start({ SPEECH_ENGINE_URL: `fixture:?delayMs=${ENGINE_MS}` });
    const { api } = parlance;
    const read = (jobId: string) => api.request('GET', `/transcriptions/${jobId}`);
    const first = await api.upload(SAMPLES.reading.path, NO_ADD_ONS);
    const before = unwraps();
    await eventually('the keys to be read anew', async () => (await read(first)).ok && unwraps() > before);
    await vault.http.stop();
    const jobId = await api.upload(SAMPLES.reading.path, NO_ADD_ONS);
    expect((await read(jobId)).status).toBe(200);
    const away = await eventually('the keys to leave the memory', async () => {
      const answer = await read(jobId);
      return answer.status !== 200 && answer;
    });
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^[1-9]\d*$/)]);
    expect(await away.json()).toMatchObject({ code: 'service_unavailable', retryable: true, detail: 'The key service (vault-transit) is unavailable.' });
    const waits = (line: string) => line.includes('"service":"transcription"') && line.includes('keys_unavailable');
    await eventually('the words to wait for the keys', async () => (await parlance.log()).split('\n').some(waits));
    await vault.http.start();
    await eventually('the job to be read', async () => (await read(jobId)).ok);
    for (const id of [first, jobId]) {
      const done = await api.terminal(id);
      expect(done.status).toBe('completed');
      expect(done.transcript?.text).not.toBe('');
    }
  });

  it('starts without the service where there is data, and waits for it at the first start', async () => {
    let jobId: string;
    {
      await vault.http.stop();
      const starting = start();
      await expect(Promise.race([starting, eventually('a log', async () => (await logOf(data)).includes('the first start waits for it'))])).resolves.toBe(true);
      await vault.http.start();
      await using parlance = await starting;
      jobId = await parlance.api.upload(SAMPLES.reading.path, NO_ADD_ONS);
      await parlance.api.terminal(jobId);
      await parlance.stop();
    }
    await vault.http.stop();
    await using again = await start();
    expect((await again.api.request('GET', `/transcriptions/${jobId}`)).status).toBe(503);
    await vault.http.start();
    await eventually('the job to be read', async () => (await again.api.request('GET', `/transcriptions/${jobId}`)).ok);
  });

  it('refuses to start with a wrong key or without a permission, and changes nothing', async () => {
    vault.keys.create('other');
    const other = { KEY_PROVIDER: `vault-transit:${vault.http.url}/transit/other` };
    await expect(start({ KEY_PROVIDER: `vault-transit:${vault.http.url}/transit/none` })).rejects.toThrow(/KEY_PROVIDER: vault-transit:.*does not have the key/);
    await expect(start({ VAULT_TOKEN: 'wrong' })).rejects.toThrow(/KEY_PROVIDER: vault-transit:.*refused the credentials/);
    {
      await using parlance = await start();
      await parlance.stop();
    }
    await expect(start(other)).rejects.toThrow(/does not have the master key of this data/);
    await expect(start({ VAULT_TOKEN: 'wrong' })).rejects.toThrow(/refused the credentials/);
    await using again = await start();
    expect((await again.api.request('GET', '/account')).status).toBe(200);
  });

  it('rotates the master key by a version of the service', async () => {
    await using parlance = await start();
    const { api } = parlance;
    const jobId = await api.upload(SAMPLES.reading.path, NO_ADD_ONS);
    await api.terminal(jobId);
    const admin = async (...args: string[]) => JSON.parse(await runAdmin(parlance.settings, 'encryption', ...args, '--json')) as Record<string, unknown>;
    expect(await admin('status')).toMatchObject({ master_key: `vault-transit:${vault.http.url}/transit/parlance`, on_old_master_key: 0, rotation: null });
    expect(await admin('rotate')).toMatchObject({ complete: false });
    expect(vault.keys.newest('parlance')).toBe(2);
    expect(await admin('status')).toMatchObject({ on_old_master_key: 0, rotation: { started_at: expect.any(String) } });
    vault.keys.rotate('parlance');
    expect((await admin('status')).on_old_master_key).toBeGreaterThan(0);
    expect((await api.job(jobId)).transcript?.text).not.toBe('');
  });
});

const logOf = (folder: string): Promise<string> => readFile(join(folder, 'parlance.log'), 'utf8').catch(() => '');
