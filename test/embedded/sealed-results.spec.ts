import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { chanceFor } from '@parlance/platform/contract';
import { eventually, filesBelow, ParlanceProcess, SAMPLES, SpeechServer } from '@parlance/testing';
import { compactDecrypt, exportJWK, generateKeyPair } from 'jose';

/** A word that only this test says. */
const CANARY = 'Xanthippe';
const NEEDLE_BYTES = 24;
const KILLS = process.env.RANDOM_CASES === 'all' ? 8 : 3;
/** Milliseconds from the transcript to the kill, at most: the stages after it take about as long. */
const MAX_LIFE_MS = 1500;
const { random } = chanceFor('sealed-results');

type StagedJob = { stages: Record<string, { status: string }> };

describe('a sealed job', () => {
  const start = async () => {
    const server = await SpeechServer.start(() => `${CANARY} sold the northern warehouse for 40 dollars.`);
    return { server, parlance: await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: server.url } }) };
  };
  const keyPair = async () => {
    const { publicKey, privateKey } = await generateKeyPair('ECDH-ES+A256KW', { crv: 'X25519', extractable: true });
    return { privateKey, fields: { result_key: JSON.stringify(await exportJWK(publicKey)) } };
  };

  it('leaves no word and no sound of it in clear anywhere below the data folder, and no key of what was sealed', async () => {
    const { server, parlance } = await start();
    try {
      const { fields } = await keyPair();
      const jobId = await parlance.api.upload(SAMPLES.meeting.path, fields);
      expect((await parlance.api.terminal(jobId)).status).toBe('completed');
      const original = await readFile(SAMPLES.meeting.path);
      const needles = [Buffer.from(CANARY), ...[0.1, 0.5, 0.9].map((part) => original.subarray(Math.floor(original.length * part)).subarray(0, NEEDLE_BYTES))];
      await eventually('the content to be gone', async () => {
        const files = await filesBelow(parlance.dataFolder);
        const holding = await Promise.all(files.map(async (file) => (await readFile(file).then((bytes) => needles.some((needle) => bytes.includes(needle))).catch(() => false)) && file));
        return holding.every((file) => !file);
      });
      using keys = new DatabaseSync(join(parlance.dataFolder, 'documents', 'keys.db'), { readOnly: true });
      const ids = (table: string) => (keys.prepare(`SELECT id FROM ${table}`).all() as { id: string }[]).map(({ id }) => id.split('/')[1]);
      const tables = (keys.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%keys%'`).all() as { name: string }[]).map(({ name }) => name);
      const [destroyed = '', existing = ''] = [tables.find((name) => name.includes('destroyed')), tables.find((name) => !name.includes('destroyed'))];
      await eventually('its key to be destroyed', () => ids(destroyed).includes(jobId) && !ids(existing).includes(jobId));
      expect(ids(existing)).toContain(`${jobId}-record`);
    } finally {
      await parlance.dispose();
      await server[Symbol.asyncDispose]();
    }
  });

  it(`is sealed whole and once, also after ${KILLS} times kill -9 between its transcript and its end`, async () => {
    const { server, parlance } = await start();
    try {
      const { privateKey, fields } = await keyPair();
      for (let round = 0; round < KILLS; round += 1) {
        const jobId = await parlance.api.upload(SAMPLES.reading.path, fields);
        await eventually('the transcript', async () => ((await parlance.api.job(jobId)) as unknown as StagedJob).stages['transcription']?.status === 'completed');
        await sleep(random() * MAX_LIFE_MS);
        await parlance.kill();
        await parlance.restart();
        expect(await parlance.api.terminal(jobId)).toMatchObject({ status: 'completed', stages: { sealing: { status: 'completed' } } });
        const response = await parlance.api.request('GET', `/transcriptions/${jobId}/sealed`);
        const { plaintext } = await compactDecrypt(await response.text(), privateKey);
        expect(JSON.parse(new TextDecoder().decode(plaintext))).toMatchObject({ job_id: jobId, transcript: { text: expect.stringContaining(CANARY) }, exports: { srt: expect.stringContaining(CANARY) } });
        await eventually('the media to be gone', async () => !(await filesBelow(join(parlance.dataFolder, 'media'))).some((file) => file.includes(`/${jobId}/`)));
      }
    } finally {
      await parlance.dispose();
      await server[Symbol.asyncDispose]();
    }
  });
});
