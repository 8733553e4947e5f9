import { openAsBlob } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { content, eventually, MediaFiles, MediaServer, NO_ADD_ONS, runAdmin, SAMPLES, type Parlance, type Problem, type TestApi } from '@parlance/testing';
import { product } from './product.js';

const MEGABYTE = 1024 * 1024;
const JUNK = 10;

interface AccountAnswer {
  storage_bytes_used: number;
  storage_bytes_limit: number | null;
}

let parlance: Parlance;
let media: MediaServer;
let files: MediaFiles;
let api: TestApi;

const opened = new AsyncDisposableStack();

beforeAll(async () => {
  files = opened.use(await MediaFiles.create());
  media = opened.use(await MediaServer.start());
  parlance = await product();
  const made = JSON.parse(await runAdmin(parlance.settings, 'accounts', 'create', '--plan', 'small', '--json')) as { api_key: string };
  api = parlance.api.as(made.api_key);
});
afterAll(() => opened.disposeAsync());

const account = () => api.json<AccountAnswer>('/account');
const problemOf = async (response: Response) => [response.status, ((await response.json()) as Problem).code];

/** A form is sent with its length, a stream is not. */
async function uploadWithoutLength(path: string): Promise<Response> {
  const form = new FormData();
  form.append('file', await openAsBlob(path), 'large.wav');
  const { body, headers } = new Response(form);
  const init: RequestInit & { duplex: 'half' } = { body, duplex: 'half', headers: { 'content-type': String(headers.get('content-type')) } };
  return api.request('POST', '/transcriptions', init);
}

describe('what an account stores', () => {
  it('does not grow by files that are no media: they are gone with the end of their job, which says so to a retry', async () => {
    const junk = await files.write('junk.mp3', Buffer.alloc(MEGABYTE / 10, 'junk, not media. '));
    for (let sent = 0; sent < JUNK; sent += 1) {
      const jobId = await api.upload(junk);
      expect((await api.terminal(jobId)).error?.code).toBe('media_unsupported');
      await eventually('the file to be gone', async () => (await parlance.media(jobId)).length === 0);
      if (sent === 0) expect(await problemOf(await api.retry(jobId))).toEqual([409, 'media_removed']);
    }
    await eventually('the account to show it', async () => (await account()).storage_bytes_used === 0, 180_000);
  });

  it('is bounded by its plan, for uploads and for what is fetched', async () => {
    expect(await account()).toMatchObject({ storage_bytes_limit: 2 * MEGABYTE });
    const large = await files.write('large.wav', Buffer.alloc(3 * MEGABYTE, 1));
    expect(await problemOf(await api.tryUpload(large))).toEqual([402, 'storage_quota_exhausted']);
    expect(await problemOf(await uploadWithoutLength(large))).toEqual([402, 'storage_quota_exhausted']);
    const jobId = await api.submit({ audio_url: media.at('/large.wav', content(Buffer.alloc(3 * MEGABYTE, 1))) });
    expect((await api.terminal(jobId)).error).toMatchObject({ code: 'storage_quota_exhausted', retryable: false });
  });

  it('is kept as long as account and job say: media that are not to be kept go when the job completes, the transcript stays', async () => {
    const refused = await api.tryUpload(SAMPLES.reading.path, { retention_hours: '49' });
    expect((await refused.json()) as Problem).toMatchObject({ status: 422, errors: [{ pointer: '/retention_hours', code: 'too_large' }] });
    const jobId = await api.upload(SAMPLES.reading.path);
    expect((await api.terminal(jobId)).status).toBe('completed');
    await eventually('the media to be gone', async () => (await parlance.media(jobId)).length === 0);
    const { transcript, expires_at: expiresAt, completed_at: completedAt } = await api.job(jobId);
    expect(transcript?.segments.length).toBeGreaterThan(0);
    expect(Date.parse(String(expiresAt)) - Date.parse(String(completedAt))).toBe(48 * 3_600_000);
    const kept = await api.upload(SAMPLES.reading.path, { ...NO_ADD_ONS, media_retention_hours: '1' });
    expect((await api.terminal(kept)).status).toBe('completed');
    expect(await parlance.media(kept)).toContain('source');
    await eventually('the account to show it', async () => (await account()).storage_bytes_used > 0, 180_000);
  });
});
