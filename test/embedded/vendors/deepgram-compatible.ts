import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeepgramClient, type Deepgram, type DeepgramError } from '@deepgram/sdk';
import { MediaServer, SAMPLES, type TestApi } from '@parlance/testing';
import { product } from '../../system/fixture-engine/product.js';

type Options = Deepgram.listen.v1.MediaTranscribeRequestOctetStream;

const run = promisify(execFile);

let api: TestApi;
let root: string;
let client: DeepgramClient;
let sound: Buffer<ArrayBuffer>;
let media: MediaServer;

beforeAll(async () => {
  api = await (await product()).newAccount();
  root = new URL(api.url).origin;
  client = clientOf(api.apiKey);
  sound = await readFile(SAMPLES.reading.path);
  media = await MediaServer.start();
});
afterAll(() => media.close());

const clientOf = (apiKey: string, baseUrl = root) => new DeepgramClient({ apiKey, baseUrl, maxRetries: 0 });
/** A file of its own for each test: the same one again gets the job that is there. */
const another = () => Buffer.concat([sound, Buffer.from(`${performance.now()}`)]);

/** The recording as ffmpeg writes it to its output. */
async function encoded(...options: string[]): Promise<Buffer> {
  const { stdout } = await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-i', SAMPLES.reading.path, ...options, '-'], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

async function transcribed(options: Options = {}, bytes: Buffer = sound) {
  const { data, rawResponse } = await client.listen.v1.media.transcribeFile(bytes, options).withRawResponse();
  if (!('results' in data)) throw new Error('no transcript');
  const [channel] = data.results.channels;
  const [first] = channel?.alternatives ?? [];
  if (!first) throw new Error('no alternative');
  return { answer: data, channel, first, jobId: rawResponse.headers.get('dg-request-id') ?? '' };
}

const refusal = async (work: PromiseLike<unknown>): Promise<{ status: number | undefined; err_code: string; err_msg: string }> => {
  const error = await Promise.resolve(work).then(() => undefined, (thrown: unknown) => thrown as DeepgramError);
  if (!error) throw new Error('not refused');
  const { err_code: errCode, err_msg: errMsg, request_id: requestId } = error.body as { err_code: string; err_msg: string; request_id: string };
  expect(requestId).toMatch(/^req_/);
  return { status: error.statusCode, err_code: errCode, err_msg: errMsg };
};

describe('the client of Deepgram, unchanged but for its base URL,', () => {
  it('gets the transcript of a file, and the job is one of the account', async () => {
    const { answer, first, jobId } = await transcribed({ model: 'nova-3', punctuate: true, tag: 'calls', extra: 'team:sales' });
    const job = await api.job(jobId);
    expect(first.transcript).toBe(job.transcript?.segments.map(({ text }) => text).join(' '));
    expect(job).toMatchObject({ metadata: { source: 'deepgram', tag: 'calls', team: 'sales' } });
    expect(answer.metadata).toMatchObject({ transaction_key: 'deprecated', request_id: jobId, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), duration: job.transcript?.duration, channels: 1, models: [expect.any(String)], tags: ['calls'], extra: { team: 'sales' } });
    expect(Object.values(answer.metadata.model_info)).toEqual([{ name: 'fixture', version: 'parlance', arch: 'parlance' }]);
    expect(first.words?.[0]).toEqual({ word: expect.stringMatching(/^[a-z]+$/), punctuated_word: expect.any(String), start: expect.any(Number), end: expect.any(Number), confidence: expect.any(Number) });
    expect(answer.results).not.toHaveProperty('utterances');
  });

  it('gets bare words without punctuate', async () => {
    const { first } = await transcribed();
    expect(first.transcript).toBe(first.words?.map(({ word }) => word).join(' '));
    expect(first.words?.[0]).not.toHaveProperty('punctuated_word');
    expect(first).not.toHaveProperty('paragraphs');
  });

  it('gets speakers, utterances, paragraphs and what it searches for', async () => {
    const [, word = ''] = (await transcribed()).first.transcript?.split(' ') ?? [];
    const { answer, channel, first } = await transcribed({ diarize: true, utterances: true, smart_format: true, search: [word, 'antidisestablishmentarianism'] });
    expect(first.words?.[0]).toMatchObject({ speaker: 0, speaker_confidence: 1 });
    expect(answer.results.utterances?.flatMap(({ words }) => words ?? [])).toEqual(first.words);
    expect(answer.results.utterances?.[0]).toMatchObject({ channel: 0, speaker: 0, transcript: expect.any(String), id: expect.any(String) });
    const { paragraphs = [], transcript = '' } = first.paragraphs ?? {};
    expect(transcript).toMatch(/^\nSpeaker 0: /);
    expect(paragraphs.flatMap(({ sentences = [] }) => sentences.map(({ text }) => text)).join(' ')).toBe(first.transcript);
    expect(channel?.search).toEqual([{ query: word, hits: expect.arrayContaining([expect.objectContaining({ snippet: expect.stringMatching(new RegExp(`^${word}`, 'i')) })]) }, { query: 'antidisestablishmentarianism', hits: [] }]);
  });

  it('gets each channel apart, and the language that was detected', async () => {
    const stereo = await encoded('-ac', '2', '-f', 'wav');
    const { answer } = await transcribed({ multichannel: true, detect_language: true }, stereo);
    expect(answer.metadata.channels).toBe(2);
    expect(answer.results.channels).toHaveLength(2);
    for (const channel of answer.results.channels) expect(channel).toMatchObject({ detected_language: expect.stringMatching(/^[a-z]{2}/), alternatives: [{ transcript: expect.stringMatching(/\w+ \w+/) }] });
  });

  it('gets the transcript of samples without a header', async () => {
    const samples = await encoded('-ac', '1', '-ar', '8000', '-f', 'mulaw');
    const response = await fetch(`${root}/v1/listen?encoding=mulaw&sample_rate=8000`, { method: 'POST', body: new Uint8Array(samples), headers: { authorization: `Token ${api.apiKey}`, 'content-type': 'audio/basic' } });
    const body = (await response.json()) as { metadata: { duration: number }; results: { channels: { alternatives: { transcript: string }[] }[] } };
    expect(body.metadata.duration).toBeCloseTo(samples.length / 8000, 1);
    expect(body.results.channels[0]?.alternatives[0]?.transcript.split(' ').length).toBeGreaterThan(3);
  });

  it('gets the transcript of a URL', async () => {
    const url = media.at('/talk.flac', (_request, response) => response.end(sound));
    const data = await client.listen.v1.media.transcribeUrl({ url, model: 'base', keyterm: ['Parlance'] });
    if (!('results' in data)) throw new Error('no transcript');
    expect(data.results.channels[0]?.alternatives?.[0]?.transcript).toBe((await transcribed()).first.transcript);
    expect(await refusal(client.listen.v1.media.transcribeUrl({ url: media.url('/gone.flac') }))).toMatchObject({ status: 400, err_code: 'REMOTE_CONTENT_ERROR' });
    expect(await refusal(client.listen.v1.media.transcribeUrl({ url: 'no url' }))).toMatchObject({ status: 400, err_code: 'Bad Request', err_msg: expect.stringMatching(/^url: |^audio_url: /) });
  });

  it('gets the job that is there when it sends the same file again, also while that runs, and a new one after its deletion', async () => {
    const file = another();
    const again = async () => (await transcribed({}, file)).jobId;
    const [one, other] = await Promise.all([again(), again()]);
    expect(other).toBe(one);
    await api.delete(one);
    expect(await again()).not.toBe(one);
  });

  it('gets errors in the form that it knows', async () => {
    const refused = (options: object, bytes: Buffer = sound) => refusal(client.listen.v1.media.transcribeFile(bytes, options as Options));
    expect(await refused({ model: 'nobody-has-it' })).toEqual({ status: 400, err_code: 'Bad Request', err_msg: expect.stringMatching(/^model: /) });
    expect(await refused({ language: 'no language' })).toMatchObject({ status: 400, err_msg: expect.stringMatching(/^language: /) });
    expect(await refused({ redact: 'pci' })).toEqual({ status: 400, err_code: 'Bad Request', err_msg: 'redact: Redaction is in the native API: redaction of POST /api/v1/transcriptions.' });
    expect(await refused({ callback: 'https://example.org/hook' })).toMatchObject({ status: 400, err_msg: expect.stringMatching(/^callback: /) });
    expect(await refused({ diarize: 'perhaps' })).toMatchObject({ status: 400, err_msg: 'diarize: Choose true or false.' });
    expect(await refused({ replace: 'one' })).toMatchObject({ status: 400, err_msg: expect.stringMatching(/^replace: /) });
    expect(await refused({}, Buffer.alloc(0))).toMatchObject({ status: 400, err_code: 'Bad Request' });
    expect(await refused({}, Buffer.from('this is no recording'))).toMatchObject({ status: 400, err_code: 'Bad Request' });
    expect(await refusal(clientOf('wrong').listen.v1.media.transcribeFile(sound, {}))).toMatchObject({ status: 401, err_code: 'INVALID_AUTH' });
    const reading = (await (await api.post('/keys', { name: 'reader', scopes: ['transcriptions:read'] })).json()) as { api_key: string };
    expect(await refusal(clientOf(reading.api_key).listen.v1.media.transcribeFile(sound, {}))).toMatchObject({ status: 403, err_code: 'INSUFFICIENT_PERMISSIONS' });
  });

  it('is served below /compat/deepgram as well', async () => {
    const data = await clientOf(api.apiKey, `${root}/compat/deepgram`).listen.v1.media.transcribeFile(sound, {});
    expect(data).toHaveProperty('results');
  });
});
