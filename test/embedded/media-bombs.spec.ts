import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mediaBombs, MediaFiles, ParlanceProcess, SAMPLES, type TestApi } from '@parlance/testing';
import { LiveClient } from '@parlance/testing/live-client';
import { nothingLeft } from '../system/nothing-left.js';

const DISK_MEGABYTES = 96;
const MEGABYTE = 1024 * 1024;
const SETTINGS = { SPEECH_ENGINE_URL: 'fixture:' };

let parlance: ParlanceProcess;
let files: MediaFiles;
let bomber: TestApi;
let bystander: TestApi;

const opened = new AsyncDisposableStack();

beforeAll(async () => {
  files = opened.use(await MediaFiles.create());
  parlance = opened.use(await ParlanceProcess.start({ diskMegabytes: DISK_MEGABYTES, env: SETTINGS }));
  [bomber, bystander] = await Promise.all([parlance.newAccount(), parlance.newAccount()]);
});
afterAll(() => opened.disposeAsync());

describe('files that would unpack to hours, on a small disk', () => {
  it('are refused or bounded, and another account sees nothing of them', async () => {
    const bombs = await mediaBombs(files);
    const [thrown, uploaded] = await Promise.all([
      Promise.all(bombs.map(async ({ kind, path }) => ({ kind, jobId: await bomber.upload(path) }))),
      Promise.all([1, 2, 3].map(() => bystander.upload(SAMPLES.reading.path))),
    ]);
    for (const jobId of uploaded) expect((await bystander.terminal(jobId)).status).toBe('completed');
    const stated = thrown.filter(({ kind }) => kind !== 'unstated gap');
    for (const { jobId } of stated) expect((await bomber.terminal(jobId)).error).toMatchObject({ code: 'media_implausible', retryable: false });
    for (const { jobId } of thrown) await bomber.delete(jobId);
    await nothingLeft(parlance);
  });

  it('that come live are ended soon after their audio is, before they fill the disk', async () => {
    const { id, url, token } = (await (await bomber.post('/live', { audio: { container: 'auto' } })).json()) as { id: string; url: string; token: string };
    const client = await LiveClient.connect(url, token);
    client.send(await readFile(SAMPLES.reading.path));
    client.send(Buffer.alloc(DISK_MEGABYTES * MEGABYTE), MEGABYTE / 4);
    const jobId = await bystander.upload(SAMPLES.reading.path);
    expect(await client.closed).toMatchObject({ code: 4415, reason: 'media_corrupt' });
    expect((await bystander.terminal(jobId)).status).toBe('completed');
    expect((await bomber.json<{ storage_bytes_used: number }>('/account')).storage_bytes_used).toBeLessThan((DISK_MEGABYTES / 3) * MEGABYTE);
    await bomber.delete(id);
    await nothingLeft(parlance);
  });
});
