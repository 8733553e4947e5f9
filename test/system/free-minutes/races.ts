import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, MediaFiles, NO_ADD_ONS, runAdmin, SHAPE, tone, type JobAnswer, type Parlance, type TestApi } from '@parlance/testing';
import { LiveClient } from '@parlance/testing/live-client';
import { product } from './product.js';

const ALL_SECONDS = 6;
const FILE_SECONDS = 1;
const BYTES_PER_SECOND = 32_000;
const LIVE_SECONDS = 2;
/** Of the plan `small`. */
const STORAGE_BYTES = 2 * 1024 ** 2;
const UPLOAD_BYTES = 100_000;
const GATEWAYS = SHAPE === 'cluster' ? Number(process.env.PARLANCE_REPLICAS ?? 2) : 1;
const RAW = { language: 'en', audio: { encoding: 'pcm_s16le', sample_rate: 16_000 } };

interface Created {
  id: string;
  url: string;
  token: string;
}

const opened = new AsyncDisposableStack();
let parlance: Parlance;
let file: Buffer;
beforeAll(async () => {
  const files = opened.use(await MediaFiles.create());
  file = await readFile(await files.make('one-second.wav', ...tone(FILE_SECONDS), '-ar', '16000', '-ac', '1'));
  parlance = await product();
});
afterAll(() => opened.disposeAsync());

const billedOf = (job: JobAnswer) => (job.usage as { billed_seconds: number } | undefined)?.billed_seconds ?? 0;
const codeOf = async (response: Response) => ((await response.json()) as { code?: string }).code;

async function accountOf(plan: string): Promise<TestApi> {
  const made = JSON.parse(await runAdmin(parlance.settings, 'accounts', 'create', '--plan', plan, '--json')) as { api_key: string };
  return parlance.api.as(made.api_key);
}

/** Another vendor's request, with its way to send the key. */
const vendors = (api: TestApi, vendorPath: string, authorization: string, body: FormData | Buffer, headers: Record<string, string> = {}) =>
  fetch(`${api.url}${vendorPath}`, { method: 'POST', body, headers: { authorization, ...headers } });

function form(field: string, recording: Buffer, others: Readonly<Record<string, string>> = {}): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(others)) data.append(name, value);
  data.append(field, new Blob([recording]), 'one-second.wav');
  return data;
}

/** The ways to have a file transcribed. */
const WAYS: Readonly<Record<string, (api: TestApi, recording: Buffer) => Promise<Response>>> = {
  native: (api, recording) => api.request('POST', '/transcriptions', { body: form('file', recording, NO_ADD_ONS) }),
  openai: (api, recording) => vendors(api, '/v1/audio/transcriptions', `Bearer ${api.apiKey}`, form('file', recording, { model: 'whisper-1' })),
  deepgram: (api, recording) => vendors(api, '/compat/deepgram/v1/listen', `Token ${api.apiKey}`, recording, { 'content-type': 'audio/wav' }),
  asr: (api, recording) => vendors(api, '/compat/asr/asr?output=json', `Bearer ${api.apiKey}`, form('audio_file', recording)),
};

/** The last sample differs: the vendors' APIs give the same recording the same job. */
function recordingOf(number: number): Buffer {
  const own = Buffer.from(file);
  own.writeInt16LE(number, own.byteLength - 2);
  return own;
}

/** By their statuses, when they are accepted and when nothing is left. */
const STATUSES: Readonly<Record<string, readonly [number, number]>> = { native: [202, 402], openai: [200, 429], deepgram: [200, 402], asr: [200, 402] };

/** Sends audio and ends. @returns the seconds that were acknowledged, and the job; undefined where no session began */
async function live(api: TestApi): Promise<{ jobId: string; seconds: number } | undefined> {
  const response = await api.post('/live', RAW);
  if (response.status !== 201) {
    expect([response.status, await codeOf(response)]).toEqual([402, expect.stringMatching(/exhausted$/)]);
    return undefined;
  }
  const { id: jobId, url, token } = (await response.json()) as Created;
  const client = await LiveClient.open(`${url}?after=0`, ['parlance.v1', `token.${token}`]).opened();
  client.send(Buffer.alloc(LIVE_SECONDS * BYTES_PER_SECOND), BYTES_PER_SECOND / 10);
  client.say({ type: 'finish' });
  await client.closed;
  await api.request('DELETE', `/live/${jobId}`);
  return { jobId, seconds: (client.of('ack').at(-1)?.audio_ms ?? 0) / 1000 };
}

/** An account with so many free seconds, or a key with such a budget. */
const OWNERS: Readonly<Record<string, () => Promise<TestApi>>> = {
  quota_exhausted: () => parlance.newAccount(),
  key_budget_exhausted: async () => {
    const owner = await accountOf('unlimited');
    const key = (await (await owner.post('/keys', { name: 'bounded', scopes: ['transcriptions:read', 'transcriptions:write', 'usage'], monthly_seconds: ALL_SECONDS })).json()) as { api_key: string };
    return owner.as(key.api_key);
  },
};

describe('a hundred requests at once', () => {
  it.each([
    ['quota_exhausted', 20, 20],
    ['key_budget_exhausted', 20, 20],
    ['quota_exhausted', 25, 0],
    ['key_budget_exhausted', 25, 0],
  ])('never have more than what is left (%s), and each is transcribed or refused: %i files of each API, %i live sessions', async (code, filesEach, sessionCount) => {
    const api = (await OWNERS[code]?.()) ?? parlance.api;
    const files = Object.entries(WAYS).flatMap(([way, send]) => Array.from({ length: filesEach }, async (_, number) => [way, await send(api, recordingOf(number))] as const));
    const sessions = Array.from({ length: sessionCount }, () => live(api));
    const answers = await Promise.all(files);
    for (const [way, answer] of answers) {
      expect([way, STATUSES[way]]).toEqual([way, expect.arrayContaining([answer.status])]);
      if (way === 'native' && !answer.ok) expect(await codeOf(answer)).toBe(code);
    }
    const streamed = (await Promise.all(sessions)).filter((session) => session !== undefined);

    const { data } = await api.json<{ data: JobAnswer[] }>('/transcriptions?limit=100');
    const jobs = new Map((await Promise.all(data.map(({ job_id: jobId }) => api.terminal(jobId)))).map((job) => [job.job_id, job]));
    for (const { jobId, seconds } of streamed) {
      const job = jobs.get(jobId);
      jobs.delete(jobId);
      expect([job?.status, job && billedOf(job)]).toEqual([seconds > 0 ? 'completed' : 'failed', seconds]);
    }
    const ofLive = streamed.reduce((sum, { seconds }) => sum + seconds, 0);
    const completed = [...jobs.values()].filter(({ status }) => status === 'completed');
    expect(completed.map(billedOf)).toEqual(completed.map(() => FILE_SECONDS));
    const failed = [...jobs.values()].filter(({ status }) => status !== 'completed');
    expect(failed.map((job) => [job.error?.code, billedOf(job)])).toEqual(failed.map(() => [code, 0]));
    expect(completed.length).toBeGreaterThanOrEqual(answers.filter(([way, { ok }]) => ok && way !== 'native').length);

    const billed = ofLive + completed.length * FILE_SECONDS;
    if (sessionCount === 0) expect(billed).toBe(ALL_SECONDS);
    // A file is admitted while anything is left, which may be less than its length.
    else expect([billed > 0, billed < ALL_SECONDS + FILE_SECONDS, ofLive <= ALL_SECONDS]).toEqual([true, true, true]);
    await eventually('the ledger to have it', async () => Math.abs((await api.json<{ total_seconds: number }>('/usage')).total_seconds - billed) < 0.001);
    if (code === 'quota_exhausted') expect((await api.json<{ free_seconds_left: number }>('/account')).free_seconds_left).toBeCloseTo(Math.max(0, ALL_SECONDS - billed), 3);
  }, 300_000);

  it('never store more than the plan allows, and lose none that were accepted', async () => {
    const api = await accountOf('small');
    const stored = async () => (await api.json<{ storage_bytes_used: number }>('/account')).storage_bytes_used;
    const body = Buffer.alloc(UPLOAD_BYTES, 'a recording, perhaps ');
    const ways = [
      () => api.request('POST', '/uploads', { body, headers: { 'content-type': 'audio/mpeg' } }),
      () => api.request('POST', '/uploads', { body: new Blob([body]).stream(), headers: { 'content-type': 'audio/mpeg' }, duplex: 'half' } as RequestInit),
      () => api.request('POST', '/uploads', { body, headers: { 'tus-resumable': '1.0.0', 'upload-length': String(UPLOAD_BYTES), 'content-type': 'application/offset+octet-stream' } }),
      () => vendors(api, '/compat/assemblyai/v2/upload', api.apiKey, body),
    ];
    const statuses = await Promise.all(ways.flatMap((send) => Array.from({ length: 25 }, async () => (await send()).status)));
    expect(statuses.filter((status) => ![200, 201, 402].includes(status))).toEqual([]);
    const accepted = statuses.filter((status) => status !== 402).length;
    expect(accepted).toBeGreaterThan(0);
    const { data } = await api.json<{ data: { status: string; bytes: number }[] }>('/uploads?limit=100');
    expect(data.map(({ status }) => status)).toEqual(Array.from({ length: accepted }, () => 'completed'));
    await eventually('the account to show it', async () => (await stored()) === accepted * UPLOAD_BYTES);
    // Gateways do not know of what another one receives at the same moment.
    expect(accepted * UPLOAD_BYTES).toBeLessThanOrEqual(STORAGE_BYTES * GATEWAYS);
  });
});
