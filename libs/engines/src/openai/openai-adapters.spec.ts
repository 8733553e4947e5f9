import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parlance/platform';
import { z } from 'zod';
import { OpenAiEmbedder } from '../embeddings/openai/openai-embedder.js';
import { generateStructured } from '../language-model/generate-structured.js';
import { OpenAiLanguageModel } from '../language-model/openai/openai-language-model.js';
import { OpenAiRecognizer } from '../speech/openai/openai-recognizer.js';

const MEGABYTE = 1024 * 1024;
/** What must be in no log: of the key, of a transcript. */
const KEY = 'sk-test-4711';
const SPOKEN = 'grandmother';

let server: Server;
let answer: RequestListener;
let api: { baseUrl: string; apiKey: string; model: string; maxRetries: number };

beforeEach(async () => {
  server = createServer((request, response) => request.resume().on('end', () => answer(request, response)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, apiKey: KEY, model: 'm', maxRetries: 0 };
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const { signal } = new AbortController();
const question = { messages: [{ role: 'user', content: SPOKEN }], signal } as const;
const generate = () => new OpenAiLanguageModel(api).generate(question);
const stream = async () => {
  let length = 0;
  for await (const event of new OpenAiLanguageModel(api).stream(question)) length += event.type === 'delta' ? event.text.length : 0;
  return length;
};
const embed = () => new OpenAiEmbedder({ ...api, dimensions: 3 }).embed({ texts: [SPOKEN], purpose: 'query', signal });
const recognize = () => new OpenAiRecognizer(api).recognize({ pcm: new Uint8Array(32_000), signal });

const failureOf = (call: () => Promise<unknown>): Promise<unknown> => call().then(() => undefined, (thrown: unknown) => thrown);
const loggedOf = (err: unknown): string => {
  let lines = '';
  createLogger({ level: 'info', destination: { write: (line) => (lines += line) } }).warn({ err }, 'work failed');
  return lines;
};

/** A good answer, but for the white space before it. */
const padded = (body: unknown, type = 'application/json') => ({ type, body: `${' '.repeat(17 * MEGABYTE)}${JSON.stringify(body)}` });
const CHAT = padded({ choices: [{ message: { content: 'Yes.' }, finish_reason: 'stop' }] });
const VECTORS = padded({ data: [{ index: 0, embedding: [1, 0, 0] }] });
const WORDS = padded({ text: 'Yes.', language: 'en' });
const DELTA = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(MEGABYTE) } }] })}\n\n`;
const DELTAS = { type: 'text/event-stream', body: `${DELTA.repeat(17)}data: {"choices": [{"finish_reason": "stop"}]}\n\ndata: [DONE]\n\n` };

describe.each([
  ['a generation', generate, CHAT],
  ['a streamed generation', stream, DELTAS],
  ['an embedding', embed, VECTORS],
  ['a recognition', recognize, WORDS],
])('%s', (_what, call, { type, body }) => {
  it.each([['counted while it comes', {}], ['announced', { 'content-length': String(Buffer.byteLength(body)) }]])('refuses an answer too large, %s', async (_how, headers) => {
    answer = (_request, response) => response.writeHead(200, { 'content-type': type, ...headers }).end(body);
    const failure = await failureOf(call);
    expect(failure).toMatchObject({ code: 'engine_failed', retryable: false, message: expect.stringContaining('too large') });
    expect(loggedOf(failure)).toContain('answer_too_large');
  });

  it.each([
    ['a wrong key', 401, { error: { message: `Incorrect API key provided: ${KEY}`, code: 'invalid_api_key', param: KEY } }, 'status 401, invalid_api_key'],
    ['a refused text', 400, { error: { message: `no ${SPOKEN}`, code: SPOKEN, type: SPOKEN } }, 'status 400'],
    ['a server that is down', 503, `<html>${SPOKEN}`, 'status 503'],
    ['what is no JSON', 200, `${SPOKEN} said`, ''],
    ['a fault within a stream', 200, `data: {"error": {"message": "${SPOKEN}", "code": "${SPOKEN}"}}\n\n`, ''],
  ])('tells the log of %s without its words and without a stack', async (_fault, status, said, told) => {
    const text = typeof said === 'string' ? said : JSON.stringify(said);
    answer = (_request, response) => response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': KEY }).end(text);
    const failure = await failureOf(call);
    expect(failure).toMatchObject({ code: 'engine_failed' });
    const logged = loggedOf(failure);
    expect(logged).toContain(told);
    for (const secret of [KEY, SPOKEN, SPOKEN.slice(0, 8)]) expect(logged + inspect(failure, { depth: 9, showHidden: true })).not.toContain(secret);
    if (told) expect(logged).not.toContain(' at ');
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect %i', async (status) => {
    const paths: string[] = [];
    answer = ({ url = '' }, response) => {
      paths.push(url);
      response.writeHead(status, { location: '/elsewhere' }).end();
    };
    const failure = await failureOf(call);
    expect(failure).toMatchObject({ code: 'engine_failed', retryable: false, message: expect.stringContaining('redirect') });
    expect(paths).toEqual([expect.stringMatching(/^\/v1\//)]);
  });

  it('tells the log why a server cannot be reached, and not where it is', async () => {
    answer = (_request, response) => response.destroy();
    const logged = loggedOf(await failureOf(call));
    expect(logged).toContain('UND_ERR_SOCKET');
    expect(logged).not.toMatch(/127\.0\.0\.1| at /);
  });
});

it('has room for the vectors of batches that are larger than usual', async () => {
  answer = (_request, response) => response.writeHead(200, { 'content-type': VECTORS.type }).end(VECTORS.body);
  const embedder = new OpenAiEmbedder({ ...api, dimensions: 3, maxBatch: 200_000 });
  expect(await embedder.embed({ texts: [SPOKEN], purpose: 'query', signal })).toEqual([Float32Array.of(1, 0, 0)]);
});

it('tells the log of an answer of another form without what it holds', async () => {
  const content = JSON.stringify({ [SPOKEN]: SPOKEN, price: SPOKEN });
  answer = (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices: [{ message: { content } }] }));
  const failure = await failureOf(() => generateStructured(new OpenAiLanguageModel(api), { ...question, name: 'price', schema: z.strictObject({ price: z.number() }) }));
  expect(failure).toMatchObject({ code: 'engine_failed', retryable: true });
  expect(loggedOf(failure)).toContain('invalid_type, unrecognized_keys');
  expect(loggedOf(failure)).not.toContain(SPOKEN);
});
