import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DeepgramClient } from '@deepgram/sdk';
import { SAMPLES, type TestApi } from '@parlance/testing';
import { product } from './product.js';

let api: TestApi;
let client: DeepgramClient;
let base: string;
let sound: Buffer<ArrayBuffer>;

beforeAll(async () => {
  const parlance = await product();
  api = await parlance.newAccount();
  base = `${new URL(api.url).origin}/compat/deepgram`;
  client = clientOf(api.apiKey);
  sound = await readFile(SAMPLES.reading.path);
});

const clientOf = (apiKey: string) => new DeepgramClient({ apiKey, baseUrl: base, maxRetries: 0 });

describe('the client of Deepgram, unchanged but for its base URL,', () => {
  it('gets the transcript of a file, and the job is one of the account', async () => {
    const { data, rawResponse } = await client.listen.v1.media.transcribeFile(sound, { model: 'nova-3', punctuate: true }).withRawResponse();
    const jobId = rawResponse.headers.get('dg-request-id') ?? '';
    const { transcript } = await api.job(jobId);
    if (!('results' in data)) throw new Error('not a transcript');
    expect(data.results.channels[0]?.alternatives?.[0]?.transcript).toBe(transcript?.segments.map(({ text }) => text).join(' '));
  });
});
