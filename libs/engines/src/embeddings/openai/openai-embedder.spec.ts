import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as bodyOf } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OpenAiEmbedder, type OpenAiEmbedderOptions } from './openai-embedder.js';

interface Asked {
  path: string | undefined;
  authorization: string | undefined;
  body: { input: string[]; model: string; dimensions?: number; encoding_format: string };
}
type Answer = (response: ServerResponse, asked: Asked) => void;

let server: Server;
let asked: Asked[];
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A server of the API's shape: answers in turn, the last one again and again. @returns its base URL */
async function serve(...answers: Answer[]): Promise<string> {
  asked = [];
  server = createServer(async (request, response) => {
    const body = JSON.parse(await bodyOf(request)) as Asked['body'];
    const one = { path: request.url, authorization: request.headers.authorization, body };
    asked.push(one);
    (answers[asked.length - 1] ?? answers.at(-1))?.(response, one);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => (response) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body));

/** As OpenAI answers (API reference, "Create embeddings"): a text's length and its first letter, not in order. */
const embeddings: Answer = (response, { body: { input } }) => {
  const data = input.map((one, index) => ({ object: 'embedding', index, embedding: [one.length, one.charCodeAt(0), 0] }));
  json({ object: 'list', data: data.toReversed(), model: 'm', usage: { prompt_tokens: 8, total_tokens: 8 } })(response, asked.at(-1) as Asked);
};

const signal = new AbortController().signal;
const embedder = (baseUrl: string, options: Partial<OpenAiEmbedderOptions> = {}) =>
  new OpenAiEmbedder({ baseUrl, model: 'all-minilm', apiKey: 'sk-test', dimensions: 3, maxRetries: 0, fetch: fetchOfThisRealm, ...options });
const embed = (baseUrl: string, options: Partial<OpenAiEmbedderOptions> = {}, texts: string[] = ['one']) => embedder(baseUrl, options).embed({ texts, purpose: 'passage', signal });

/** Node's fetch rejects with a DOMException of Node's realm, which is no `Error` in Jest's; the SDK would not know it for a time-out. */
const fetchOfThisRealm: typeof fetch = (...request) =>
  fetch(...request).catch(({ name, message }: Error) => {
    throw Object.assign(new Error(message), { name });
  });

describe('OpenAiEmbedder', () => {
  it('gives each text its vector of length 1, asked in batches', async () => {
    const vectors = await embed(await serve(embeddings), { maxBatch: 2 }, ['abc', 'z', 'dddd']);
    expect(asked.map(({ body }) => body.input)).toEqual([['abc', 'z'], ['dddd']]);
    expect(asked[0]).toMatchObject({ path: '/v1/embeddings', authorization: 'Bearer sk-test', body: { model: 'all-minilm', encoding_format: 'float' } });
    for (const [index, [length = 0, letter = 0]] of [[3, 97], [1, 122], [4, 100]].entries()) {
      const norm = Math.hypot(length, letter);
      expect(vectors[index]?.[0]).toBeCloseTo(length / norm, 6);
      expect(vectors[index]?.[1]).toBeCloseTo(letter / norm, 6);
    }
  });

  it('asks for its dimensions where the model can shorten its vectors', async () => {
    const url = await serve(embeddings);
    await embed(url, { model: 'text-embedding-3-small' });
    await embed(url, { sendDimensions: false, model: 'text-embedding-3-small' });
    expect(asked.map(({ body }) => body.dimensions)).toEqual([3, undefined]);
  });

  it('puts the prefix of the purpose before a text, and cuts what is too long', async () => {
    const url = await serve(embeddings);
    const one = embedder(url, { queryPrefix: 'query: ', passagePrefix: 'passage: ', maxTokens: 5 });
    await one.embed({ texts: ['where'], purpose: 'query', signal });
    await one.embed({ texts: ['x'.repeat(99)], purpose: 'passage', signal });
    expect(asked.map(({ body }) => body.input[0])).toEqual(['query: where', `passage: ${'x'.repeat(10)}`]);
  });

  it('has no vector for a text without anything, and does not ask for one', async () => {
    const url = await serve(embeddings);
    expect(await embed(url, {}, ['', ' '])).toEqual([undefined, undefined]);
    expect(asked).toEqual([]);
    expect((await embed(url, {}, ['', 'one'])).map((vector) => vector !== undefined)).toEqual([false, true]);
  });

  it('tries again after the time that a 429 or a 503 names', async () => {
    const busy = { 'retry-after-ms': '10' };
    const url = await serve(json({}, 429, busy), json({}, 503, busy), embeddings);
    expect(await embed(url, { maxRetries: 2 })).toHaveLength(1);
    expect(asked).toHaveLength(3);
  });

  it('gives up on a 429 that stays, retryable after the time named', async () => {
    await expect(embed(await serve(json({ error: { message: 'slow down' } }, 429, { 'retry-after': '7' })))).rejects.toMatchObject({ code: 'engine_rate_limited', retryable: true, retryAfter: 7 });
  });

  it.each([[400, false], [401, false], [404, false], [413, false], [500, true], [503, true]])('fails on status %d without its words, retryable: %s', async (status, retryable) => {
    const error = await embed(await serve(json({ error: { message: 'at 10.1.2.3: secret' } }, status))).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'engine_failed', retryable });
    expect((error as Error).message).not.toContain('secret');
  });

  it.each([
    ['cut JSON', json('{"data": [')],
    ['no list', json({ data: 5 })],
    ['too few vectors', json({ data: [] })],
    ['a body of text', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/plain' }).end('hello')],
    ['a broken connection', (response: ServerResponse) => response.destroy()],
  ] as [string, Answer][])('fails retryable on %s', async (_case, answer) => {
    await expect(embed(await serve(answer))).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
  });

  it('says that the dimensions are others than the index has', async () => {
    await expect(embed(await serve(embeddings), { dimensions: 4 })).rejects.toMatchObject({ code: 'engine_failed', retryable: false, message: expect.stringMatching(/3 dimensions; SEARCH_DIMENSIONS is 4/) });
  });

  it('calls a server that never answers engine_timeout, and stops when canceled', async () => {
    const canceled = new AbortController();
    const url = await serve(() => {}, () => canceled.abort());
    await expect(embed(url, { timeoutSeconds: 0.1 })).rejects.toMatchObject({ code: 'engine_timeout', retryable: true });
    await expect(embedder(url).embed({ texts: ['one'], purpose: 'query', signal: canceled.signal })).rejects.toMatchObject({ code: 'canceled' });
    await expect(embedder(url).embed({ texts: ['one'], purpose: 'query', signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'engine_timeout' });
  });

  it('changes its name with the model and the dimensions', () => {
    server = createServer();
    expect(embedder('http://127.0.0.1:9/v1').info).toMatchObject({ name: 'openai:all-minilm:3', languages: [] });
  });
});
