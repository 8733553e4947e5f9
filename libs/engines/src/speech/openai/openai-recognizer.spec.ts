import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OpenAiRecognizer, type OpenAiRecognizerOptions } from './openai-recognizer.js';

const never = new AbortController().signal;
const pcm = new Uint8Array(4 * 32_000);

interface Asked {
  path: string;
  authorization: string | undefined;
  form: FormData;
}
const unasked: Asked = { path: '', authorization: undefined, form: new FormData() };
type Answer = (response: ServerResponse, asked: Asked) => void;

/** Servers of the API's shape: each answers in turn, the last answer again and again. */
class TranscriptionServer {
  readonly asked: Asked[] = [];
  readonly #servers: Server[] = [];

  async start(...answers: Answer[]): Promise<string> {
    const server = createServer((request, response) => {
      this.#handle(request, response, answers[this.asked.length] ?? answers.at(-1)).catch((error: unknown) => {
        // A client that gives up while it sends needs no answer.
        if (!request.errored) throw error;
      });
    });
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  /** Stops every server that the test started. */
  async stop(): Promise<void> {
    for (const server of this.#servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse, answer?: Answer): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = new Response(Buffer.concat(chunks), { headers: { 'content-type': request.headers['content-type'] ?? '' } });
    const asked = { path: request.url ?? '', authorization: request.headers.authorization, form: await body.formData() };
    this.asked.push(asked);
    answer?.(response, asked);
  }
}

const server = new TranscriptionServer();
afterEach(async () => {
  await server.stop();
  server.asked.length = 0;
});

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => (response) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body));
};
/** As OpenAI answers (API reference, "Create transcription", word timestamps), shortened. */
const spoken = {
  task: 'transcribe',
  language: 'english',
  duration: 4,
  text: 'The beach was, a popular spot.',
  words: ['The', 'beach', 'was', 'a', 'popular', 'spot'].map((word, index) => ({ word, start: index * 0.5, end: index * 0.5 + 0.4 })),
  segments: [{ id: 0, start: 0, end: 3, text: ' The beach was, a popular spot.', avg_logprob: -0.2, no_speech_prob: 0.01, compression_ratio: 1.2 }],
};

const recognizer = (baseUrl: string, options: Partial<OpenAiRecognizerOptions> = {}) =>
  new OpenAiRecognizer({ baseUrl, model: 'whisper-1', apiKey: 'sk-test', fetch: fetchOfThisRealm, ...options });

/** Node's fetch rejects with a DOMException of Node's realm, which is no `Error` in Jest's; the SDK would not know it for a time-out. */
const fetchOfThisRealm: typeof fetch = (...request) =>
  fetch(...request).catch(({ name, message }: Error) => {
    throw Object.assign(new Error(message), { name });
  });

describe('OpenAiRecognizer', () => {
  it('sends the chunk as WAV with the language, the terms and both granularities', async () => {
    const url = await server.start(json(spoken));
    await recognizer(url).recognize({ pcm, language: 'pt-BR', vocabulary: ['Parlance', 'Kafka'], signal: never });
    const [{ path, authorization, form } = unasked] = server.asked;
    expect([path, authorization]).toEqual(['/v1/audio/transcriptions', 'Bearer sk-test']);
    expect(Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'))).toEqual({
      model: 'whisper-1',
      response_format: 'verbose_json',
      language: 'pt',
      prompt: 'Parlance, Kafka',
      'timestamp_granularities[]': 'segment',
    });
    expect(form.getAll('timestamp_granularities[]')).toEqual(['word', 'segment']);
    const file = Buffer.from(await (form.get('file') as File).arrayBuffer());
    expect([file.toString('latin1', 0, 4), file.toString('latin1', 8, 12), file.readUInt32LE(24)]).toEqual(['RIFF', 'WAVE', 16_000]);
    expect(file.byteLength).toBe(44 + pcm.byteLength);
  });

  it('reads words with the punctuation of the text, a confidence and a BCP 47 language', async () => {
    const recognition = await recognizer(await server.start(json(spoken))).recognize({ pcm, signal: never });
    expect(recognition.words.map(({ text }) => text)).toEqual(['The', 'beach', 'was,', 'a', 'popular', 'spot.']);
    expect(recognition.words[1]).toEqual({ start: 0.5, end: 0.9, text: 'beach', confidence: Math.exp(-0.2) });
    expect(recognition.language).toBe('en');
    expect(recognition.warnings).toBeUndefined();
  });

  it('shares the time of a segment among its words when there are no word times, and says so', async () => {
    const { words: _words, ...segmentsOnly } = spoken;
    const recognition = await recognizer(await server.start(json(segmentsOnly))).recognize({ pcm, signal: never });
    expect(recognition.words.map(({ text }) => text)).toEqual(['The', 'beach', 'was,', 'a', 'popular', 'spot.']);
    expect(recognition.words.at(-1)?.end).toBe(3);
    expect(recognition.warnings).toEqual([expect.objectContaining({ code: 'word_times_estimated' })]);
  });

  it('takes a text alone, over the whole chunk', async () => {
    const recognition = await recognizer(await server.start(json({ text: 'bonjour à tous', language: 'fr' }))).recognize({ pcm, signal: never });
    expect(recognition.words.map(({ text, end }) => [text, end])).toEqual([['bonjour', 2.333], ['à', 2.667], ['tous', 4]]);
    expect(recognition.language).toBe('fr');
  });

  it('gives no confidence of words about which the answer says nothing', async () => {
    const recognition = await recognizer(await server.start(json({ text: 'bonjour à tous', language: 'fr' }))).recognize({ pcm, signal: never });
    for (const word of recognition.words) expect(Object.keys(word)).toEqual(['start', 'end', 'text']);
  });

  it('names no language that the request named', async () => {
    const recognition = await recognizer(await server.start(json(spoken))).recognize({ pcm, language: 'en', signal: never });
    expect([recognition.language, recognition.languageConfidence]).toEqual([undefined, undefined]);
  });

  it('reads the confidence of a language where the server gives one', async () => {
    const whisperCpp = { ...spoken, language: 'german', detected_language: 'german', detected_language_probability: 0.75, language_probabilities: { de: 0.75, nl: 0.2, en: 0.05 } };
    const [first, second] = [await server.start(json(whisperCpp)), await server.start(json({ ...spoken, language_probability: 0.5 }))];
    expect(await recognizer(first).recognize({ pcm, signal: never })).toMatchObject({ language: 'de', languageConfidence: 0.75, languageProbabilities: { de: 0.75, nl: 0.2, en: 0.05 } });
    expect(await recognizer(second).recognize({ pcm, signal: never })).toMatchObject({ language: 'en', languageConfidence: 0.5 });
  });

  it('puts words in order and within the chunk', async () => {
    const words = [
      { word: 'late', start: 3.8, end: 9 },
      { word: 'early', start: -0.5, end: 0.2 },
      { word: 'backwards', start: 2, end: 1.5 },
    ];
    const recognition = await recognizer(await server.start(json({ text: '', words }))).recognize({ pcm, signal: never });
    expect(recognition.words.map(({ text, start, end }) => [text, start, end])).toEqual([
      ['early', 0, 0.2],
      ['backwards', 2, 2],
      ['late', 3.8, 4],
    ]);
  });

  it('leaves out a segment that the model itself takes for silence', async () => {
    const silence = { start: 3, end: 4, text: ' Thanks for watching!', avg_logprob: -1.4, no_speech_prob: 0.9 };
    const words = [...spoken.words, { word: 'Thanks', start: 3.1, end: 3.5 }];
    const url = await server.start(json({ ...spoken, words, segments: [...spoken.segments, silence] }));
    const recognition = await recognizer(url).recognize({ pcm, signal: never });
    expect(recognition.words.map(({ text }) => text)).not.toContain('Thanks');
  });

  it.each([
    ['a text', { text: '你'.repeat(20_000) }],
    ['words', { text: '', words: Array.from({ length: 2001 }, (_, at) => ({ word: 'no', start: at / 1000, end: at / 1000 })) }],
    ['segments', { text: '', segments: Array.from({ length: 501 }, (_, at) => ({ text: 'no', start: at / 200, end: at / 200 })) }],
  ])('refuses %s that cannot be said in the time of the chunk', async (_what, answer) => {
    const recognition = recognizer(await server.start(json(answer))).recognize({ pcm, signal: never });
    await expect(recognition).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
  });

  it('gives the longest words their punctuation, in characters of any length', async () => {
    const texts = Array.from({ length: 490 }, (_, at) => (at % 2 ? '你𠀀你𠀀你𠀀' : '“é”,'));
    const words = texts.map((text, at) => ({ word: text.replace(/[“”,]/g, ''), start: at / 200, end: (at + 1) / 200 }));
    const recognition = await recognizer(await server.start(json({ text: texts.join(' '), words }))).recognize({ pcm, signal: never });
    expect(recognition.words.map(({ text }) => text)).toEqual(texts);
  });

  it('says how many terms had no room in the prompt', async () => {
    const vocabulary = Array.from({ length: 100 }, (_, index) => `terminology${index}`);
    const recognition = await recognizer(await server.start(json(spoken))).recognize({ pcm, vocabulary, signal: never });
    expect(recognition.warnings).toEqual([expect.objectContaining({ code: 'vocabulary_truncated' })]);
    expect(String(server.asked[0]?.form.get('prompt')).length).toBeLessThanOrEqual(600);
  });

  it('tries again after the time that a 429 or a 503 names', async () => {
    const busy = { 'retry-after-ms': '20' };
    const url = await server.start(json({}, 429, busy), json({}, 503, busy), json(spoken));
    expect((await recognizer(url).recognize({ pcm, signal: never })).words).toHaveLength(6);
    expect(server.asked).toHaveLength(3);
  });

  it('gives up on a 429 that stays, retryable after the time named', async () => {
    const url = await server.start(json({ error: { message: 'slow down' } }, 429, { 'retry-after': '7' }));
    const recognition = recognizer(url, { maxRetries: 0 }).recognize({ pcm, signal: never });
    await expect(recognition).rejects.toMatchObject({ code: 'engine_failed', retryable: true, retryAfter: 7 });
  });

  it.each([
    [400, false],
    [401, false],
    [404, false],
    [500, true],
    [503, true],
  ])('fails on status %d without its words, retryable: %s', async (status, retryable) => {
    const url = await server.start(json({ error: { message: 'at 10.1.2.3: secret' } }, status));
    const error = await recognizer(url, { maxRetries: 0 }).recognize({ pcm, signal: never }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'engine_failed', retryable });
    expect((error as Error).message).not.toContain('secret');
  });

  it.each([
    ['cut JSON', json('{"text": "The be')],
    ['another form', json({ text: 5 })],
    ['a body of text', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/plain' }).end('hello')],
    ['a broken connection', (response: ServerResponse) => response.destroy()],
  ] as [string, Answer][])('fails retryable on %s', async (_case, answer) => {
    const recognition = recognizer(await server.start(answer), { maxRetries: 0 }).recognize({ pcm, signal: never });
    await expect(recognition).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
  });

  it('calls a server that never answers engine_timeout', async () => {
    const url = await server.start(() => {});
    const recognition = recognizer(url, { maxRetries: 0, timeoutSeconds: 0.1 }).recognize({ pcm, signal: never });
    await expect(recognition).rejects.toMatchObject({ code: 'engine_timeout', retryable: true });
  });

  it('stops when canceled and at the deadline of the call', async () => {
    const abort = new AbortController();
    const url = await server.start(() => abort.abort());
    const canceled = recognizer(url).recognize({ pcm, signal: abort.signal });
    await expect(canceled).rejects.toMatchObject({ code: 'canceled' });
    await expect(recognizer(url).recognize({ pcm, signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'engine_timeout' });
  });

  it('refuses a language that Whisper does not take', async () => {
    const recognition = recognizer('http://127.0.0.1:9/v1').recognize({ pcm, language: 'tlh', signal: never });
    await expect(recognition).rejects.toMatchObject({ code: 'language_unsupported' });
  });
});
