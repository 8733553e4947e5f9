import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SAMPLES, type TestApi } from '@parlance/testing';
import OpenAI, { toFile, type APIError } from 'openai';
import { product } from '../../system/fixture-engine/product.js';

let api: TestApi;
let client: OpenAI;
let root: string;
let apiKey: string;
let sound: Buffer<ArrayBuffer>;

beforeAll(async () => {
  const parlance = await product();
  api = await parlance.newAccount();
  root = new URL(api.url).origin;
  ({ apiKey } = api);
  client = new OpenAI({ baseURL: `${root}/v1`, apiKey, maxRetries: 0 });
  sound = await readFile(SAMPLES.reading.path);
});

const file = (bytes: Uint8Array = sound) => toFile(bytes, 'reading.flac');
/** A file of its own for each test: the same one again gets the job that is there. */
const another = () => file(Buffer.concat([sound, Buffer.from(`${performance.now()}`)]));
const refusal = async (work: Promise<unknown>): Promise<Pick<APIError, 'status' | 'code' | 'param' | 'type'>> => {
  const error = await work.then(() => undefined, (thrown: unknown) => thrown as APIError);
  if (!error) throw new Error('not refused');
  const { status, code, param, type } = error;
  return { status, code, param, type };
};
/** A request as a client's source makes it, and what of the answer it reads. */
interface ClientRequest {
  fields?: [string, string][];
  json?: object;
  headers?: Record<string, string>;
  /** True when the file comes before the fields. */
  isFileFirst?: boolean;
  reads: 'text' | 'segments' | 'words' | 'logprobs' | 'body';
  status?: number;
}
const sendJson = (body: object) => fetch(`${root}/v1/audio/transcriptions`, { method: 'POST', body: JSON.stringify(body), headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' } });
const form = async (fields: [string, string][], path = '/v1/audio/transcriptions', key = apiKey, headers: Record<string, string> = {}, isFileFirst = false) => {
  const body = new FormData();
  const file = () => body.append('file', new Blob([sound]), 'reading.flac');
  if (isFileFirst) file();
  for (const [name, value] of fields) body.append(name, value);
  if (!isFileFirst) file();
  return fetch(root + path, { method: 'POST', body, headers: { authorization: `Bearer ${key}`, ...headers } });
};
const jobs = async () => (await api.json<{ data: { job_id: string; metadata: object; file_name?: string }[] }>('/transcriptions')).data;

describe('the client of OpenAI, unchanged but for its base URL,', () => {
  it('gets the text, and the job is one of the account', async () => {
    const { data, response } = await client.audio.transcriptions.create({ file: await file(), model: 'whisper-1' }).withResponse();
    const jobId = response.headers.get('x-parlance-transcription-id') ?? '';
    const { transcript } = await api.job(jobId);
    expect(data.text).toBe(transcript?.segments.map(({ text }) => text).join(' '));
    expect(data).toMatchObject({ usage: { type: 'duration', seconds: Math.ceil(transcript?.duration ?? NaN) } });
    expect((await jobs())[0]).toMatchObject({ job_id: jobId, metadata: { source: 'openai' }, file_name: 'reading.flac' });
  });

  it('gets the job that is there when it sends the same file again, also while that runs, and a new one after its deletion', async () => {
    const again = async () => (await client.audio.transcriptions.create({ file: sameFile, model: 'whisper-1' }).withResponse()).response.headers.get('x-parlance-transcription-id') ?? '';
    const sameFile = await another();
    const [one, other] = await Promise.all([again(), again()]);
    expect(other).toBe(one);
    expect(await again()).toBe(one);
    await api.delete(one);
    expect(await again()).not.toBe(one);
  });

  it('gets segments, words and the language by verbose_json', async () => {
    const answer = await client.audio.transcriptions.create({ file: await file(), model: 'default', response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] });
    expect(answer).toMatchObject({ task: 'transcribe', language: 'english', duration: expect.any(Number) });
    expect(answer.words?.map(({ word }) => word).join(' ').toLowerCase()).toContain(answer.text.split(' ')[1]?.toLowerCase());
    expect(answer.segments?.map(({ text }) => text).join('').trim()).toBe(answer.text);
    expect(answer.segments?.[0]).toEqual({ id: 0, seek: 0, start: expect.any(Number), end: expect.any(Number), text: expect.stringMatching(/^ /), tokens: [], temperature: 0, avg_logprob: expect.any(Number), compression_ratio: 1, no_speech_prob: 0, words: expect.any(Array) });
    expect(answer.segments?.flatMap((segment) => (segment as { words?: { word: string }[] }).words ?? []).map(({ word }) => word)).toEqual(answer.words?.map(({ word }) => word));
    const plain = await client.audio.transcriptions.create({ file: await file(), model: 'default', response_format: 'verbose_json' });
    expect(plain).not.toHaveProperty('words');
  });

  it('gets the log probabilities of the words, also at the end of a stream', async () => {
    const options = { model: 'gpt-4o-transcribe', include: ['logprobs' as const] };
    const { text, logprobs } = await client.audio.transcriptions.create({ ...options, file: await file() });
    expect(logprobs?.map(({ token }) => token).join('')).toBe(text);
    expect(logprobs?.every(({ logprob = 1 }) => logprob <= 0)).toBe(true);
    for await (const event of await client.audio.transcriptions.create({ ...options, file: await file(), stream: true })) if (event.type === 'transcript.text.done') expect(event.logprobs).toEqual(logprobs);
    expect.assertions(3);
  });

  it.each(['text', 'srt', 'vtt'] as const)('gets %s as it is', async (format) => {
    const text = (await client.audio.transcriptions.create({ file: await file(), model: 'whisper-1', response_format: format })) as unknown as string;
    const { text: whole } = await client.audio.transcriptions.create({ file: await file(), model: 'whisper-1' });
    if (format === 'text') expect(text).toBe(`${whole}\n`);
    else expect(text).toMatch(format === 'srt' ? /^1\r?\n00:00:\d\d,\d{3} --> / : /^WEBVTT/);
  });

  it('gets speakers by the model that detects them', async () => {
    const answer = (await client.audio.transcriptions.create({ file: await file(), model: 'gpt-4o-transcribe-diarize', response_format: 'diarized_json', chunking_strategy: 'auto' })) as { text: string; segments: { speaker: string; id: string; text: string }[] };
    expect(answer.segments[0]).toMatchObject({ type: 'transcript.text.segment', id: 'seg_001', speaker: 'A' });
    expect(answer.segments.map(({ text }) => text).join(' ')).toBe(answer.text);
  });

  it('gets deltas and the whole text as a stream', async () => {
    const events = await client.audio.transcriptions.create({ file: await another(), model: 'gpt-4o-transcribe', stream: true });
    const types: string[] = [];
    let deltas = '';
    let done = '';
    for await (const event of events) {
      types.push(event.type);
      if (event.type === 'transcript.text.delta') deltas += event.delta;
      if (event.type === 'transcript.text.done') done = event.text;
    }
    expect(types.at(-1)).toBe('transcript.text.done');
    expect(deltas.toLowerCase().replaceAll(/[.,]/g, '')).toBe(done.toLowerCase().replaceAll(/[.,]/g, ''));
  });

  it('gets the error of a file that cannot be read also as a stream', async () => {
    const events = await client.audio.transcriptions.create({ file: await file(Buffer.from('this is no stream')), model: 'gpt-4o-transcribe', stream: true });
    const reading = (async () => {
      for await (const _ of events);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'media_unsupported', param: 'file' });
  });

  it('lists the models and their aliases', async () => {
    const ids = (await client.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['default', 'whisper-1', 'gpt-4o-transcribe-diarize']));
    expect(await client.models.retrieve('whisper-1')).toMatchObject({ id: 'whisper-1', object: 'model' });
    expect(await refusal(client.models.retrieve('gpt-9'))).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('gets errors in the form that it knows', async () => {
    const create = async (options: object, bytes?: Uint8Array) => client.audio.transcriptions.create({ file: await file(bytes), model: 'whisper-1', ...options });
    expect(await refusal(create({ model: 'nobody-has-it' }))).toEqual({ status: 404, code: 'model_not_found', param: 'model', type: 'invalid_request_error' });
    expect(await refusal(create({ response_format: 'xml' }))).toEqual({ status: 400, code: 'invalid_value', param: 'response_format', type: 'invalid_request_error' });
    expect(await refusal(create({ language: 'klingon' }))).toMatchObject({ status: 400, param: 'language' });
    expect(await refusal(create({ include: ['logprobs'], response_format: 'verbose_json' }))).toMatchObject({ status: 400, param: 'include' });
    expect(await refusal(create({}, new Uint8Array(0)))).toMatchObject({ code: 'media_empty' });
    expect(await refusal(create({}, Buffer.from('this is no recording')))).toEqual({ status: 400, code: 'media_unsupported', param: 'file', type: 'invalid_request_error' });
    expect(await refusal(client.audio.translations.create({ file: await file(), model: 'whisper-1' }))).toMatchObject({ status: 400, param: 'model' });
    const stranger = new OpenAI({ baseURL: `${root}/v1`, apiKey: 'wrong', maxRetries: 0 });
    expect(await refusal(stranger.models.list())).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'authentication_error' });
  });
});

describe('a form as other clients send it', () => {
  it.each<[string, [string, string][]]>([
    ['with empty and unknown fields', [['model', ''], ['language', ''], ['max_speech_duration_s', '30'], ['temperature', '0']]],
    ['with the name of a language', [['language', 'English'], ['model', 'whisper-1']]],
    ['with granularities without brackets', [['response_format', 'verbose_json'], ['timestamp_granularities', 'word']]],
    ['with granularities in one field', [['response_format', 'verbose_json'], ['timestamp_granularities', 'segment,word']]],
  ])('%s is served', async (_name, fields) => {
    const response = await form(fields);
    expect(response.status).toBe(200);
    const body = (await response.json()) as { text: string; words?: unknown[] };
    expect(body.text).not.toBe('');
    expect(body.words === undefined).toBe(!fields.some(([name]) => name === 'timestamp_granularities'));
  });

  it.each<[string, ClientRequest]>([
    // open-webui backend/open_webui/routers/audio.py at 01fb3e46; later versions send the language as well.
    ['Open WebUI', { fields: [['model', 'whisper-1']], reads: 'text' }],
    ['Open WebUI with a language', { fields: [['model', 'whisper-1'], ['language', 'en']], reads: 'text' }],
    ['a client with a model of another server', { json: { model: 'nobody/has-it' }, reads: 'text', status: 404 }],
    ['OpenRouter', { json: { model: 'whisper-1', language: 'en', temperature: 0, provider: { options: {} } }, reads: 'text' }],
    // LibreChat api/server/services/Files/Audio/STTService.js at 00b3bc32: the file first.
    ['LibreChat', { fields: [['model', 'whisper-1'], ['language', 'en']], isFileFirst: true, reads: 'text' }],
    // whisper-obsidian-plugin src/Transcriber.ts at 3102e676: a prompt only when there is one.
    ['the Whisper plug-in of Obsidian', { fields: [['model', 'whisper-1'], ['language', '']], isFileFirst: true, reads: 'text', headers: { origin: 'app://obsidian.md' } }],
    // ha-openai-whisper-stt-api custom_components/openai_whisper_cloud/stt.py at 04b15175, by OpenAI's client; its later provider names the format as well.
    ['Home Assistant', { fields: [['model', 'whisper-1'], ['language', 'en'], ['prompt', ''], ['temperature', '0']], reads: 'text' }],
    ['Home Assistant with a format', { fields: [['language', 'en'], ['model', 'whisper-1'], ['temperature', '0'], ['prompt', ''], ['response_format', 'json']], reads: 'text' }],
    // wyoming_openai handler.py at 23c4dd6e sends the model alone; later versions as here.
    ['wyoming_openai', { fields: [['model', 'whisper-1'], ['language', 'en'], ['response_format', 'json'], ['temperature', '0.0']], reads: 'text' }],
    // n8n packages/@n8n/nodes-langchain/nodes/vendors/OpenAi/actions/audio/transcribe.operation.ts at 536d9079: no temperature of 0.
    ['n8n, with the fields first', { fields: [['model', 'whisper-1'], ['language', 'en'], ['temperature', '0.2']], reads: 'text' }],
    // langchain libs/community/langchain_community/document_loaders/parsers/audio.py at 31d8eadd, by OpenAI's client: options only where they are given.
    ['LangChain', { fields: [['model', 'whisper-1']], reads: 'text' }],
    ['LangChain with all options', { fields: [['model', 'whisper-1'], ['language', 'en'], ['prompt', 'Parlance'], ['response_format', 'verbose_json'], ['temperature', '0.0']], reads: 'text' }],
    ['LangChain with captions', { fields: [['model', 'whisper-1'], ['response_format', 'srt']], reads: 'body' }],
    // anything-llm collector/utils/WhisperProviders/GenericOpenAiWhisper.js at c55b2fa2, whose standard model is of another server.
    ['AnythingLLM with any server', { fields: [['model', 'whisper-1'], ['temperature', '0']], isFileFirst: true, reads: 'text' }],
    ['AnythingLLM with its standard model', { fields: [['model', 'whisper-small'], ['temperature', '0']], isFileFirst: true, reads: 'text' }],
    ['AnythingLLM', { fields: [['model', 'whisper-1'], ['response_format', 'text'], ['temperature', '0']], reads: 'body' }],
    // vexa services/vexa-bot/core/src/services/transcription-client.ts at 77db01cf.
    ['Vexa', { fields: [['model', 'whisper-1'], ['response_format', 'verbose_json'], ['language', 'en'], ['timestamp_granularities', 'word'], ['max_speech_duration_s', '15'], ['min_silence_duration_ms', '160'], ['prompt', 'and what was said before it.']], isFileFirst: true, reads: 'segments' }],
    // openwhispr src/helpers/audioManager.js at 84c3eb96: a stream with the models that have one. Its requests in Mistral's form go to Mistral alone.
    ['OpenWhispr', { fields: [['model', 'whisper-1'], ['language', 'en'], ['prompt', 'Parlance, Ada']], isFileFirst: true, reads: 'text' }],
    ['OpenWhispr with a stream', { fields: [['model', 'gpt-4o-mini-transcribe'], ['stream', 'true']], isFileFirst: true, reads: 'body' }],
    // livekit-plugins-openai livekit/plugins/openai/stt.py at 0501b181, by OpenAI's client.
    ['LiveKit', { fields: [['model', 'gpt-4o-mini-transcribe'], ['language', ''], ['response_format', 'json']], reads: 'text' }],
    ['LiveKit with a model of Groq', { fields: [['model', 'whisper-large-v3-turbo'], ['language', 'en'], ['response_format', 'json']], reads: 'text' }],
    // pipecat src/pipecat/services/openai/stt.py at 002d7912, by OpenAI's client.
    ['Pipecat', { fields: [['model', 'gpt-4o-transcribe'], ['language', 'en']], reads: 'text' }],
    ['Pipecat with metrics of probability', { fields: [['model', 'gpt-4o-transcribe'], ['language', 'en'], ['response_format', 'json'], ['include[]', 'logprobs']], reads: 'logprobs' }],
    // typewhisper-mac TypeWhisperPluginSDK/Sources/TypeWhisperPluginSDK/HostServices.swift at bdf15b3b; live by openai-realtime.ts.
    ['TypeWhisper', { fields: [['model', 'whisper-1'], ['response_format', 'verbose_json'], ['language', 'en'], ['prompt', 'Parlance']], isFileFirst: true, reads: 'segments' }],
    // VoxInput old.go at f1a7a355 (--no-realtime), by go-openai.
    ['VoxInput', { fields: [['model', 'whisper-1'], ['language', 'en']], isFileFirst: true, reads: 'text' }],
    // speakr src/services/transcription/connectors/openai_transcribe.py at 085dcba5.
    ['Speakr', { fields: [['model', 'gpt-4o-transcribe-diarize'], ['response_format', 'diarized_json'], ['chunking_strategy', 'auto'], ['language', 'en']], reads: 'segments' }],
  ])('of %s is answered with what it reads', async (_name, { fields, json, reads, headers = {}, isFileFirst, status = 200 }) => {
    const response = json ? await sendJson({ ...json, input_audio: { data: sound.toString('base64'), format: 'flac' } }) : await form(fields ?? [], undefined, apiKey, headers, isFileFirst);
    expect(response.status).toBe(status);
    const body = await response.text();
    const answer = reads === 'body' ? { body } : (JSON.parse(body) as Record<string, unknown>);
    if (status === 200) expect(answer[reads]).not.toHaveLength(0);
    else expect(answer).toMatchObject({ error: { code: 'model_not_found', param: 'model' } });
  });

  it.each<[string, object]>([
    ['without audio', { model: 'whisper-1' }],
    ['with what is no Base64', { input_audio: { data: '%%%%%%%%', format: 'wav' } }],
    ['with nothing in it', { input_audio: { data: '', format: 'wav' } }],
  ])('in JSON %s is refused, naming the field', async (_name, body) => {
    const response = await sendJson(body);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'input_audio' } }]);
  });

  it.each(['/compat/openai/v1/audio/transcriptions', '/compat/openai/audio/transcriptions', '/v1/audio/transcriptions/audio/transcriptions', '/compat/openai/v1/audio/transcriptions/v1/audio/transcriptions'])('is served at %s', async (path) => {
    expect((await form([['model', 'whisper-1']], path)).status).toBe(200);
  });

  it('needs the scope to create transcriptions', async () => {
    const reading = (await (await api.post('/keys', { name: 'reader', scopes: ['transcriptions:read'] })).json()) as { api_key: string };
    const response = await form([], undefined, reading.api_key);
    expect([response.status, await response.json()]).toMatchObject([403, { error: { type: 'permission_error', code: 'insufficient_scope' } }]);
  });
});
