import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SAMPLES, type TestApi } from '@parlance/testing';
import { product } from '../../system/fixture-engine/product.js';

let api: TestApi;
let root: string;
let sound: Buffer<ArrayBuffer>;
let pcm: Buffer<ArrayBuffer>;

beforeAll(async () => {
  api = await (await product()).newAccount();
  root = `${new URL(api.url).origin}/compat/asr`;
  sound = await readFile(SAMPLES.reading.path);
  // As Bazarr decodes a film: samples without a header.
  const { stdout } = await promisify(execFile)('ffmpeg', ['-nostdin', '-loglevel', 'error', '-i', SAMPLES.reading.path, '-f', 's16le', '-acodec', 'pcm_s16le', '-ac', '1', '-ar', '16000', '-'], { encoding: 'buffer', maxBuffer: 2 ** 24 });
  pcm = Buffer.from(stdout);
});

/** The key as in `http://any:<key>@host`, which the clients of this API take as their base URL. */
const basic = (key = api.apiKey) => ({ authorization: `Basic ${Buffer.from(`any:${key}`).toString('base64')}` });

function post(path: string, query: Record<string, string> | string, file: Uint8Array<ArrayBuffer>, name = 'audio_file', headers: Record<string, string> = basic()): Promise<Response> {
  const body = new FormData();
  body.append('audio_file', new Blob([file]), name);
  return fetch(`${root}/${path}?${new URLSearchParams(query)}`, { method: 'POST', body, headers });
}

interface AsrAnswer {
  text: string;
  language: string;
  segments: { id: number; start: number; end: number; text: string; speaker?: string; words?: { word: string; start: number; end: number; speaker?: string }[] }[];
  word_segments?: unknown[];
}

const jobOf = (response: Response) => api.job(response.headers.get('x-parlance-transcription-id') ?? '');

describe('a client of whisper-asr-webservice', () => {
  it('gets a transcript in Whisper’s form, of a job of the account', async () => {
    const response = await post('asr', { output: 'json' }, sound, 'reading.flac');
    const answer = (await response.json()) as AsrAnswer;
    const job = await jobOf(response);
    expect(answer).toMatchObject({ text: job.transcript?.text, language: 'en' });
    expect(answer.segments[0]).toEqual({ id: 0, seek: 0, start: expect.any(Number), end: expect.any(Number), text: expect.stringMatching(/^ /), tokens: [], temperature: 0, avg_logprob: expect.any(Number), compression_ratio: 1, no_speech_prob: 0 });
    expect(job).toMatchObject({ metadata: { source: 'asr' }, file_name: 'reading.flac' });
    expect(Object.fromEntries(response.headers)).toMatchObject({ 'content-type': 'text/plain; charset=utf-8', 'content-disposition': 'attachment; filename="reading.flac.json"', 'asr-engine': 'parlance' });
  });

  it('gets words when it asks for them', async () => {
    const answer = (await (await post('asr', { output: 'json', word_timestamps: 'true' }, sound)).json()) as AsrAnswer;
    expect(answer.segments.flatMap(({ words = [] }) => words.map(({ word }) => word)).join('').trim()).toBe(answer.text);
  });

  it('gets text, captions and a table of segments', async () => {
    const { segments } = (await (await post('asr', { output: 'json' }, sound)).json()) as AsrAnswer;
    const text = async (output: string) => (await post('asr', { output }, sound)).text();
    expect(await text('txt')).toBe(segments.map((segment) => `${segment.text.trim()}\n`).join(''));
    expect(await text('tsv')).toBe(`start\tend\ttext\n${segments.map((segment) => `${Math.round(segment.start * 1000)}\t${Math.round(segment.end * 1000)}\t${segment.text.trim()}\n`).join('')}`);
    expect(await text('srt')).toMatch(/^1\r?\n00:00:\d\d,\d{3} --> /);
    expect(await text('vtt')).toMatch(/^WEBVTT/);
  });

  it('is told what is wrong', async () => {
    const refusal = async (path: string, query: Record<string, string>, file = sound, headers = basic()) => {
      const response = await post(path, query, file, 'audio_file', headers);
      return [response.status, await response.json()];
    };
    expect(await refusal('asr', { task: 'translate' })).toMatchObject([422, { detail: [{ loc: ['query', 'task'], type: 'not_supported' }] }]);
    expect(await refusal('asr', { output: 'xml' })).toMatchObject([422, { detail: [{ loc: ['query', 'output'] }] }]);
    expect(await refusal('asr', { model: 'nobody-has-it' })).toMatchObject([422, { detail: [{ loc: ['query', 'model'], type: 'model_unknown' }] }]);
    expect(await refusal('asr', {}, Buffer.from('this is no recording'))).toMatchObject([422, { detail: expect.anything() }]);
    expect(await refusal('asr', { encode: 'false' }, Buffer.alloc(0))).toMatchObject([expect.any(Number), { detail: expect.anything() }]);
    expect(await refusal('asr', {}, sound, basic('wrong'))).toMatchObject([401, { detail: expect.stringMatching(/^The API key is not valid\./) }]);
    const withoutFile = await fetch(`${root}/asr`, { method: 'POST', body: new FormData(), headers: basic() });
    expect([withoutFile.status, await withoutFile.json()]).toMatchObject([422, { detail: expect.anything() }]);
  });

  it('is refused without a key unless the operator has set one for it', async () => {
    const response = await post('asr', {}, sound, 'audio_file', {});
    expect([response.status, await response.json()]).toMatchObject([401, { detail: expect.stringContaining('API key is required') }]);
  });
});

describe('the requests of', () => {
  // bazarr custom_libs/subliminal_patch/providers/whisperai.py at 1029a812.
  it('Bazarr: the language of samples without a header, then captions of them', async () => {
    const detected = await post('detect-language', { encode: 'false' }, pcm);
    expect(await detected.json()).toMatchObject({ detected_language: 'english', language_code: 'en' });
    const response = await post('asr', { task: 'transcribe', language: 'en', output: 'srt', encode: 'false' }, pcm);
    expect(await response.text()).toMatch(/^1\r?\n00:00:\d\d,\d{3} --> /);
    const job = await jobOf(response);
    expect(job).toMatchObject({ media: { sample_rate: 16_000, channels: 1, codec: 'pcm_s16le', duration: expect.closeTo(pcm.length / 32_000, 2) }, warnings: [] });
  });

  it('Bazarr to Subgen: with the path of the video, the same job when it tries again', async () => {
    const query = { task: 'transcribe', language: 'en', output: 'srt', encode: 'false', video_file: '/media/Metropolis.mkv' };
    const [one, other] = await Promise.all([post('asr', query, pcm), post('asr', query, pcm)]);
    expect(await other.text()).toBe(await one.text());
    const job = await jobOf(one);
    expect([job.job_id, job['title']]).toEqual([(await jobOf(other)).job_id, 'Metropolis.mkv']);
  });

  // subgen subgen.py at fb3a7418 serves this API too: these are all of its parameters.
  it('clients of Subgen: the language of a part, then captions with all parameters', async () => {
    const detected = await post('detect-language', { encode: 'false', video_file: '/media/Metropolis.mkv', detect_lang_length: '30', detect_lang_offset: '0' }, pcm);
    expect(await detected.json()).toMatchObject({ detected_language: 'english', language_code: 'en' });
    const query = { task: 'transcribe', language: 'en', video_file: '/media/Metropolis.mkv', initial_prompt: 'Parlance', encode: 'true', output: 'vtt', word_timestamps: 'false' };
    expect(await (await post('asr', query, sound)).text()).toMatch(/^WEBVTT/);
  });

  // speakr src/services/transcription/connectors/asr_endpoint.py at 085dcba5; embeddings only where they are switched on.
  it('Speakr: whether the server is there, then segments with speakers', async () => {
    for (const path of ['/health', '']) expect((await fetch(root + path, { headers: basic() })).status).toBe(200);
    const query = 'encode=true&task=transcribe&output=json&language=en&diarize=true&enable_diarization=true&min_speakers=1&max_speakers=2&initial_prompt=Parlance&hotwords=Ada';
    const answer = (await (await post('asr', query, sound, 'meeting.flac')).json()) as AsrAnswer;
    expect(answer.segments[0]).toMatchObject({ speaker: 'SPEAKER_00', words: expect.arrayContaining([expect.objectContaining({ speaker: 'SPEAKER_00', score: expect.any(Number) })]) });
    expect(answer.word_segments).toHaveLength(answer.segments.flatMap(({ words = [] }) => words).length);
  });

  it('Obsidian: the text of a form that it writes itself', async () => {
    const boundary = '----BoundaryQ1w2e3r4t5y6u7i8';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="audio_file"; filename="blob"\r\nContent-Type: "application/octet-stream"\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head), sound, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    const response = await fetch(`${root}/asr?task=transcribe&language=en`, { method: 'POST', body, headers: { ...basic(), 'content-type': `multipart/form-data; boundary=${boundary}` } });
    expect([response.status, (await response.text()).trim().split(/\s+/).length > 5]).toEqual([200, true]);
  });
});
