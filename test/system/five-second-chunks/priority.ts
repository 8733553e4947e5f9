import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { content, eventually, heldUntil, MediaServer, NO_ADD_ONS, SAMPLES, type JobAnswer, type TestApi } from '@parlance/testing';
import { product } from './product.js';

const RECORDING = SAMPLES.report.path;

let api: TestApi;
beforeAll(async () => {
  api = await (await product()).newAccount();
});

const startOf = ({ started_at: started }: JobAnswer): number => Date.parse(String(started));

describe('a job of the priority batch', () => {
  it('begins after the normal jobs of its account, also after those that were created later', async () => {
    await using media = await MediaServer.start();
    const created = Promise.withResolvers<void>();
    const url = media.at('/report.mp4', heldUntil(created.promise, content(await readFile(RECORDING))));
    // The account has one place, which the first job takes and keeps until the others are created.
    const first = await api.submit({ audio_url: url, diarization: false, summary: false, highlights: false });
    await eventually('the first job to begin', async () => (await api.job(first)).status === 'processing');
    const background = [await api.upload(RECORDING, { ...NO_ADD_ONS, priority: 'batch' }), await api.upload(RECORDING, { ...NO_ADD_ONS, priority: 'batch' })];
    const normal = await api.upload(RECORDING, NO_ADD_ONS);
    created.resolve();
    const [, ...jobs] = await Promise.all([first, normal, ...background].map((jobId) => api.terminal(jobId)));
    expect(jobs.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    const [normalStart = NaN, ...backgroundStarts] = jobs.map(startOf);
    for (const start of backgroundStarts) expect(start).toBeGreaterThan(normalStart);
  });
});
