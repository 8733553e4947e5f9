import { DeepgramClient } from '@deepgram/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { common, gateway as contract } from '@parlance/contracts';
import { AssemblyAI } from 'assemblyai';
import OpenAI, { toFile } from 'openai';
import { GatewayHarness } from '../../test/gateway-harness.js';

/** The clients with their own retries. */
const openAi = ({ url, apiKey }: GatewayHarness) => new OpenAI({ baseURL: `${url}/v1`, apiKey });
const deepgram = ({ url, apiKey }: GatewayHarness) => new DeepgramClient({ baseUrl: `${url}/compat/deepgram`, apiKey });
const assemblyAi = ({ url, apiKey }: GatewayHarness) => new AssemblyAI({ baseUrl: `${url}/compat/assemblyai`, apiKey });

/** The path and the status of each request but those that only read. */
const posted: string[] = [];
/** The same recording again would get the same job. */
let sound: Buffer;
const file = () => toFile(sound, 'meeting.wav');

beforeEach(() => {
  posted.length = 0;
  sound = Buffer.from(`RIFF${performance.now()}`);
  const send = globalThis.fetch;
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const response = await send(input, init);
    if (init?.method?.toUpperCase() === 'POST') posted.push(`${new URL(input instanceof Request ? input.url : input).pathname} ${response.status}`);
    return response;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('a vendor’s own client sends a recording once whose job failed for good, and says why', () => {
  const MESSAGE = 'It failed.';
  const OF_THE_PLAN = ['quota_exhausted', 'key_budget_exhausted', 'storage_quota_exhausted'];
  const CODES = ['engine_rejected', 'language_uncertain', 'language_unsupported', 'address_forbidden', 'model_unknown', ...OF_THE_PLAN];

  let gateway: GatewayHarness;
  let code = '';
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.services.afterCreate = async ({ jobId }) => {
      gateway.services.change(jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_FAILED, error: { code, message: MESSAGE, retryable: false } }));
    };
  });
  beforeEach(() => {
    gateway.services.created.length = 0;
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each(CODES)('of OpenAI, %s', async (failure) => {
    code = failure;
    const statuses: Record<string, number> = { engine_rejected: 500, model_unknown: 404, ...Object.fromEntries(OF_THE_PLAN.map((each) => [each, 429])) };
    const codes: Record<string, string> = { model_unknown: 'model_not_found', ...Object.fromEntries(OF_THE_PLAN.map((each) => [each, 'insufficient_quota'])) };
    const status = statuses[failure] ?? 400;
    const work = openAi(gateway).audio.transcriptions.create({ file: await file(), model: 'whisper-1' });
    await expect(work).rejects.toMatchObject({ status, code: codes[failure] ?? failure, error: { message: expect.stringContaining(MESSAGE) } });
    expect([posted, gateway.services.created.length]).toEqual([[`/v1/audio/transcriptions ${status}`], 1]);
  });

  it.each(CODES)('of Deepgram, %s', async (failure) => {
    code = failure;
    const statuses: Record<string, number> = { engine_rejected: 422, ...Object.fromEntries(OF_THE_PLAN.map((each) => [each, 402])) };
    const statusCode = statuses[failure] ?? 400;
    const work = deepgram(gateway).listen.v1.media.transcribeFile(sound, {});
    await expect(work).rejects.toMatchObject({ statusCode, body: { err_msg: expect.stringContaining(MESSAGE) } });
    expect([posted, gateway.services.created.length]).toEqual([[`/compat/deepgram/v1/listen ${statusCode}`], 1]);
  });

  it.each(CODES)('of AssemblyAI, %s', async (failure) => {
    code = failure;
    expect(await assemblyAi(gateway).transcripts.transcribe({ audio: sound })).toMatchObject({ status: 'error', error: MESSAGE });
    expect([posted, gateway.services.created.length]).toEqual([['/compat/assemblyai/v2/upload 200', '/compat/assemblyai/v2/transcript 200'], 1]);
  });
});

describe('a vendor’s own client sends a request once that is refused before there is a job:', () => {
  let gateway: GatewayHarness;
  /** The same account by a key whose budget is used up, and an account whose quota is. */
  let spent: Record<'key_budget_exhausted' | 'quota_exhausted', GatewayHarness>;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ PLANS: JSON.stringify({ tiny: { free_minutes: 1 } }), DEFAULT_PLAN: 'tiny' });
    const accounts = gateway.process.process.connect('gateway', contract.AccountServiceDefinition);
    const { body: key } = await gateway.call<{ key_id: string; api_key: string }>('POST', '/keys', { json: { name: 'small', monthly_seconds: 1 } });
    const other = await gateway.createAccount();
    await accounts.reserveSeconds({ accountId: gateway.accountId, jobId: 'job_1', run: 1, seconds: 1, keyId: key.key_id });
    await accounts.reserveSeconds({ accountId: other.accountId, jobId: 'job_2', run: 1, seconds: 60 });
    spent = { key_budget_exhausted: gateway.as(key.api_key), quota_exhausted: gateway.as(other.apiKey) };
  });
  beforeEach(() => {
    gateway.services.created.length = 0;
  });
  afterAll(() => gateway[Symbol.asyncDispose]());
  afterEach(() => expect(gateway.services.created).toEqual([]));

  describe.each(['quota_exhausted', 'key_budget_exhausted'] as const)('%s', (code) => {
    it('of OpenAI', async () => {
      const work = openAi(spent[code]).audio.transcriptions.create({ file: await file(), model: 'whisper-1' });
      await expect(work).rejects.toMatchObject({ status: 429, code: 'insufficient_quota', type: 'insufficient_quota' });
      expect(posted).toEqual(['/v1/audio/transcriptions 429']);
    });

    it('of Deepgram', async () => {
      const work = deepgram(spent[code]).listen.v1.media.transcribeFile(sound, {});
      await expect(work).rejects.toMatchObject({ statusCode: 402, body: { err_code: 'ASR_PAYMENT_REQUIRED' } });
      expect(posted).toEqual(['/compat/deepgram/v1/listen 402']);
    });

    it('of AssemblyAI', async () => {
      const work = assemblyAi(spent[code]).transcripts.transcribe({ audio: 'https://example.org/a.mp3' });
      await expect(work).rejects.toThrow(/used/);
      expect(posted).toEqual(['/compat/assemblyai/v2/transcript 402']);
    });
  });

  it('a language of OpenAI', async () => {
    const work = openAi(gateway).audio.transcriptions.create({ file: await file(), model: 'whisper-1', language: 'fr' });
    await expect(work).rejects.toMatchObject({ status: 400, code: 'language_unsupported', param: 'language' });
    expect(posted).toEqual(['/v1/audio/transcriptions 400']);
  });

  it('a language and an address of Deepgram', async () => {
    const { media } = deepgram(gateway).listen.v1;
    await expect(media.transcribeFile(sound, { language: 'fr' })).rejects.toMatchObject({ statusCode: 400 });
    await expect(media.transcribeUrl({ url: 'http://10.0.0.1/a.mp3' })).rejects.toMatchObject({ statusCode: 400 });
    expect(posted).toEqual(['/compat/deepgram/v1/listen 400', '/compat/deepgram/v1/listen 400']);
  });

  it('a language and an address of AssemblyAI', async () => {
    const { transcripts } = assemblyAi(gateway);
    await expect(transcripts.transcribe({ audio: 'https://example.org/a.mp3', language_code: 'fr' })).rejects.toThrow('language_code: ');
    await expect(transcripts.transcribe({ audio: 'http://10.0.0.1/a.mp3' })).rejects.toThrow('audio_url: ');
    expect(posted).toEqual(['/compat/assemblyai/v2/transcript 400', '/compat/assemblyai/v2/transcript 400']);
  });
});
