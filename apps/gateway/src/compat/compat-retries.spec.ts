import { DeepgramClient } from '@deepgram/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import { AssemblyAI } from 'assemblyai';
import OpenAI, { toFile } from 'openai';
import { GatewayHarness } from '../../test/gateway-harness.js';

const MESSAGE = 'The speech engine refused the recording.';
/** Of the speech engine, and of the recording. */
const CODES = ['engine_rejected', 'language_uncertain'];

describe('a vendor’s own client, with its own retries, sends a recording once whose job failed for good, and says why', () => {
  let gateway: GatewayHarness;
  let code = '';
  /** The same recording again would get the same job. */
  let sound: Buffer;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.services.afterCreate = async ({ jobId }) => {
      gateway.services.change(jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_FAILED, error: { code, message: MESSAGE, retryable: false } }));
    };
  });
  beforeEach(() => {
    gateway.services.created.length = 0;
    sound = Buffer.from(`RIFF${performance.now()}`);
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each(CODES)('of OpenAI, %s', async (failure) => {
    code = failure;
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey });
    const work = client.audio.transcriptions.create({ file: await toFile(sound, 'meeting.wav'), model: 'whisper-1' });
    await expect(work).rejects.toMatchObject({ status: failure === 'language_uncertain' ? 400 : 500, code, error: { message: MESSAGE } });
    expect(gateway.services.created).toHaveLength(1);
  });

  it.each(CODES)('of Deepgram, %s', async (failure) => {
    code = failure;
    const client = new DeepgramClient({ baseUrl: `${gateway.url}/compat/deepgram`, apiKey: gateway.apiKey });
    const work = client.listen.v1.media.transcribeFile(sound, {});
    await expect(work).rejects.toMatchObject({ statusCode: failure === 'language_uncertain' ? 400 : 422, body: { err_msg: MESSAGE } });
    expect(gateway.services.created).toHaveLength(1);
  });

  it.each(CODES)('of AssemblyAI, %s', async (failure) => {
    code = failure;
    const client = new AssemblyAI({ baseUrl: `${gateway.url}/compat/assemblyai`, apiKey: gateway.apiKey });
    expect(await client.transcripts.transcribe({ audio: sound })).toMatchObject({ status: 'error', error: MESSAGE });
    expect(gateway.services.created).toHaveLength(1);
  });
});
