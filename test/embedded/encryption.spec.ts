import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { eventually, filesBelow, ParlanceProcess, runAdmin, SAMPLES, type TestApi } from '@parlance/testing';
import { LiveClient } from '@parlance/testing/live-client';
import { samplePcm } from '../../libs/engines/test/sample-pcm.js';

/** Words that only this test says. */
const CANARIES = { text: 'Xanthippe', title: 'Ermintrude', question: 'Ursulina', callback: 'Thusnelda', vocabulary: 'Kunigunde' };

/** What is in clear all the same, by database: see docs/privacy/encryption.md. */
const CLEAR: Record<string, (keyof typeof CANARIES)[]> = {
  // Events that wait for their relay, and what the write-ahead log still has of them.
  'documents/ingest.db': ['title', 'callback', 'vocabulary'],
  // Bodies of events in the account's feed, and addresses, by which deliveries are found.
  'documents/webhook-dispatcher.db': ['title', 'callback'],
};

/** Speaks the recording into a live session, to its end. */
async function speak(api: TestApi): Promise<LiveClient> {
  const session = (await (await api.post('/live', { vocabulary: [CANARIES.vocabulary], audio: { encoding: 'pcm_s16le', sample_rate: 16_000, channels: 1 } })).json()) as { url: string; token: string };
  const client = await LiveClient.connect(session.url, session.token);
  client.send(samplePcm('reading.flac'));
  client.say({ type: 'finish' });
  await client.next('finished');
  return client;
}

describe('stored data', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-encryption-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const data = () => join(folder, 'data');
  const start = (env: Record<string, string> = {}) => ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: `fixture:?words=${CANARIES.text}`, ...env }, dataFolder: data() });

  /** Databases of documents, with their logs, in which the word is. */
  const holding = async (word: string) => {
    const files = (await filesBelow(join(data(), 'documents'))).filter((file) => /\.db(-wal)?$/.test(file));
    const contents = await Promise.all(files.map(async (file) => ({ file, content: await readFile(file) })));
    return [...new Set(contents.filter(({ content }) => content.includes(word)).map(({ file }) => file.slice(data().length + 1).replace('-wal', '')))];
  };

  it('shows no word of a job in the databases of its documents, and is read with its keys alone', async () => {
    let jobId: string;
    {
      await using parlance = await start();
      const { api } = parlance;
      jobId = await api.upload(SAMPLES.meeting.path, { title: CANARIES.title, callback_url: `http://127.0.0.1:9/${CANARIES.callback}` });
      await api.terminal(jobId);
      expect((await api.job(jobId)).transcript?.text).toContain(CANARIES.text);
      const question = JSON.stringify({ message: `Who said ${CANARIES.text}, ${CANARIES.question}?` });
      const repeated = async () => (await api.request('POST', '/chat', { body: question, headers: { 'content-type': 'application/json', 'idempotency-key': 'once' } })).text();
      const answer = await repeated();
      expect(answer).toContain(CANARIES.text);
      expect(await repeated()).toBe(answer);
      expect(JSON.stringify((await speak(api)).of('final'))).toContain(CANARIES.text);
      const found: string[] = [];
      for (const name of Object.keys(CANARIES) as (keyof typeof CANARIES)[]) {
        for (const file of await holding(CANARIES[name])) if (!CLEAR[file]?.includes(name)) found.push(`${name} in ${file}`);
      }
      expect(found).toEqual([]);
      expect((await stat(join(data(), 'master-keys'))).mode & 0o777).toBe(0o600);
      await parlance.stop();
    }
    {
      await using without = await start({ KEY_PROVIDER: 'none' });
      expect(await without.log()).toContain('which cannot be read: KEY_PROVIDER is none, or not set');
    }
    await rename(join(data(), 'master-keys'), join(folder, 'kept'));
    await expect(start()).rejects.toThrow(/KEY_PROVIDER: the key file .* is missing/);
    await writeFile(join(data(), 'master-keys'), `1 ${Buffer.alloc(32).toString('base64')}\n`);
    await expect(start()).rejects.toThrow(/does not have the master key of this data/);
    await rename(join(folder, 'kept'), join(data(), 'master-keys'));
    await using again = await start();
    expect((await again.api.job(jobId)).transcript?.text).toContain(CANARIES.text);
  });

  it('has no key any more once its job is erased, and the receipt says so', async () => {
    await using parlance = await start();
    const { api } = parlance;
    const jobId = await api.upload(SAMPLES.meeting.path);
    await api.terminal(jobId);
    const erasureId = await api.delete(jobId);
    await eventually('every service to report', async () => (await api.erasure(erasureId)).status === 'completed');
    const receipt = await api.erasure(erasureId);
    expect(receipt.items[0]).toMatchObject({ what: 'data_key', where: 'ingest', count: 1 });
    const keySet = createLocalJWKSet((await (await fetch(`${api.url}/.well-known/jwks.json`)).json()) as JSONWebKeySet);
    const { payload, protectedHeader } = await compactVerify(receipt.jws ?? '', keySet);
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', typ: 'erasure-receipt+jws' });
    const { jws: _, ...claims } = receipt;
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual({ ...claims, account_id: expect.stringMatching(/^acc_/) });
    await parlance.stop();
    const keys = new DatabaseSync(join(data(), 'documents', 'keys.db'), { readOnly: true });
    const rows = (table: string) => keys.prepare(`SELECT id FROM ${table} WHERE id LIKE ?`).all(`%/${jobId}`).length;
    expect([rows('documents_keys'), rows('documents_destroyed_keys')]).toEqual([0, 1]);
    keys.close();
  });

  it('is read and written on while its keys are rotated, and after a start with the new ones', async () => {
    let jobIds: string[];
    {
      await using parlance = await start();
      const { api } = parlance;
      const admin = async (...args: string[]) => JSON.parse(await runAdmin(parlance.settings, 'encryption', ...args, '--json')) as Record<string, unknown>;
      const transcribed = async () => {
        const jobId = await api.upload(SAMPLES.meeting.path);
        await api.terminal(jobId);
        return jobId;
      };
      const before = await transcribed();
      const keyFile = await readFile(join(data(), 'master-keys'), 'utf8');
      const rotated = await admin('rotate');
      expect(rotated).toMatchObject({ complete: false, finishable_at: expect.any(String) });
      expect(rotated['data_keys']).toBeGreaterThan(0);
      expect(await readFile(join(data(), 'master-keys'), 'utf8')).toContain(keyFile.trim());
      expect(await admin('status')).toMatchObject({ on_old_master_key: 0, rotation: { started_at: expect.any(String) } });
      jobIds = [before, await transcribed()];
      for (const jobId of jobIds) expect((await api.job(jobId)).transcript?.text).toContain(CANARIES.text);
      await parlance.stop();
    }
    await using again = await start();
    for (const jobId of jobIds) expect((await again.api.job(jobId)).transcript?.text).toContain(CANARIES.text);
  });

  it('names KEY_PROVIDER to a command that is run without one where keys are', async () => {
    await using parlance = await start();
    const withoutProvider = runAdmin({ ...parlance.settings, KEY_PROVIDER: 'none' }, 'encryption', 'status');
    await expect(withoutProvider).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('KEY_PROVIDER is none, or not set') });
  });

  it('of before encryption stays readable, is sealed with its next write and can be erased; what is new is sealed', async () => {
    let old: string;
    {
      await using parlance = await start({ KEY_PROVIDER: 'none' });
      old = await parlance.api.upload(SAMPLES.meeting.path, { title: CANARIES.title });
      await parlance.api.terminal(old);
      await parlance.stop();
    }
    const sealed = (service: string, table: string, idLike: string) => {
      const database = new DatabaseSync(join(data(), 'documents', `${service}.db`), { readOnly: true });
      const rows = database.prepare(`SELECT document FROM documents_${table} WHERE id LIKE ?`).all(idLike);
      database.close();
      return rows.map(({ document }) => (JSON.parse(String(document)) as { sealed?: unknown }).sealed !== undefined);
    };
    expect(sealed('ingest', 'jobs', old)).toEqual([false]);
    await using parlance = await start();
    const { api } = parlance;
    expect(await api.job(old)).toMatchObject({ title: CANARIES.title, transcript: { text: expect.stringContaining(CANARIES.text) } });
    const change = await api.request('PATCH', `/transcriptions/${old}`, { body: JSON.stringify({ title: CANARIES.question }), headers: { 'content-type': 'application/json' } });
    expect(change.status).toBe(200);
    expect(sealed('ingest', 'jobs', old)).toEqual([true]);
    expect(await api.job(old)).toMatchObject({ title: CANARIES.question, transcript: { text: expect.stringContaining(CANARIES.text) } });
    const fresh = await api.upload(SAMPLES.meeting.path);
    await api.terminal(fresh);
    for (const [service, table, id] of [['ingest', 'jobs', fresh], ['transcription', 'pages', `${fresh}/%`], ['transcription', 'chunks', `${fresh}/%`]] as const) {
      const found = sealed(service, table, id);
      expect([table, found.length > 0, found.every(Boolean)]).toEqual([table, true, true]);
    }
    const erasureId = await api.delete(old);
    await eventually('every service to report', async () => (await api.erasure(erasureId)).status === 'completed');
    expect((await api.request('GET', `/transcriptions/${old}`)).status).toBe(404);
  });
});
