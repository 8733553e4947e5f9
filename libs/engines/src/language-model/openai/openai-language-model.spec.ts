import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { generateStructured } from '../generate-structured.js';
import type { GenerationEvent } from '../language-model.js';
import { languageModelFromUrl } from '../language-model-from-url.js';
import { OpenAiLanguageModel, type OpenAiLanguageModelOptions } from './openai-language-model.js';

interface Asked {
  authorization: string | undefined;
  body: { model: string; messages: { role: string; content: string }[]; max_tokens?: number; max_completion_tokens?: number; response_format?: { json_schema: { schema: object } }; stream?: boolean };
}
type Answer = (response: ServerResponse, asked: Asked) => void;

/** A server of the API's shape: answers in turn, the last one again and again. */
class ChatServer {
  readonly asked: Asked[] = [];
  #server: Server | undefined;

  async start(...answers: Answer[]): Promise<string> {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const asked = { authorization: request.headers.authorization, body: JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'] };
        const answer = answers[this.asked.length] ?? answers.at(-1);
        this.asked.push(asked);
        answer?.(response, asked);
      });
    });
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined));
    this.asked.length = 0;
  }
}

const server = new ChatServer();
afterEach(() => server.stop());

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => (response) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body));
};
/** As OpenAI answers (API reference, "Create chat completion"), shortened. */
const said = (content: string | null, finishReason = 'stop', message: object = {}): Answer =>
  json({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content, refusal: null, ...message }, finish_reason: finishReason }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  });
const refusedParameter = (param: string | null, message: string): Answer => json({ error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' } }, 400);
const streamed = (...chunks: object[]): Answer => (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end('data: [DONE]\n\n');
};

const never = new AbortController().signal;
const question = { messages: [{ role: 'user', content: 'How much is it?' }], signal: never } as const;
const form = { name: 'price', schema: z.strictObject({ price: z.number() }) };

const model = (baseUrl: string, options: Partial<OpenAiLanguageModelOptions> = {}) =>
  new OpenAiLanguageModel({ baseUrl, model: 'gpt-4o-mini', apiKey: 'sk-test', maxRetries: 0, fetch: fetchOfThisRealm, ...options });

/** Node's fetch rejects with a DOMException of Node's realm, which is no `Error` in Jest's; the SDK would not know it for a time-out. */
const fetchOfThisRealm: typeof fetch = (...request) =>
  fetch(...request).catch((error: { name: string; message: string; cause?: unknown }) => {
    throw Object.assign(new Error(error.message, { cause: error.cause }), { name: error.name });
  });

describe('OpenAiLanguageModel', () => {
  it('asks as the API wants it, with the key, and counts tokens', async () => {
    const asking = model(await server.start(said('Twelve.')));
    expect(await asking.generate({ ...question, temperature: 0 })).toEqual({ text: 'Twelve.', finishReason: 'complete', usage: { inputTokens: 100, outputTokens: 10 } });
    expect(server.asked).toMatchObject([{ authorization: 'Bearer sk-test', body: { model: 'gpt-4o-mini', messages: question.messages, max_tokens: 4096, temperature: 0 } }]);
  });

  it('gives the schema, and the answer in its form', async () => {
    const asking = model(await server.start(said('{"price": 12}')));
    expect(await generateStructured(asking, { ...question, ...form })).toEqual({ value: { price: 12 }, usage: { inputTokens: 100, outputTokens: 10 } });
    expect(server.asked[0]?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'price', strict: true, schema: { type: 'object', required: ['price'], additionalProperties: false } },
    });
  });

  it.each([
    ['cut in the middle', said('{"pri', 'length'), /cut off/],
    ['of another form', said('{"cost": 12}'), /price/],
    ['no JSON at all', said('It is twelve, I think.'), /not JSON/],
  ])('gives an answer back once that is %s, with what is wrong', async (_what, wrong, problem) => {
    const asking = model(await server.start(wrong, said('```json\n{"price": 12}\n```')));
    expect(await generateStructured(asking, { ...question, ...form })).toEqual({ value: { price: 12 }, usage: { inputTokens: 200, outputTokens: 20 } });
    expect(server.asked[1]?.body.messages.at(-1)?.content).toMatch(problem);
  });

  it('learns from two requests at once what a server does not take', async () => {
    const asking = model(await server.start((response, asked) => (asked.body.max_tokens === undefined ? said('Twelve.') : refusedParameter('max_tokens', 'Use max_completion_tokens.'))(response, asked)));
    const answers = await Promise.all([asking.generate(question), asking.generate(question)]);
    expect(answers.map(({ text }) => text)).toEqual(['Twelve.', 'Twelve.']);
  });

  it('gives up an answer that is no better the second time', async () => {
    const asking = model(await server.start(said('nonsense')));
    await expect(generateStructured(asking, { ...question, ...form })).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
    expect(server.asked).toHaveLength(2);
  });

  it.each([
    ['a refusal', said(null, 'stop', { refusal: 'I cannot help with that.' }), { code: 'engine_refused', retryable: false }],
    ['a filter', said('', 'content_filter'), { code: 'engine_refused', retryable: false }],
    ['a filter before the model', json({ error: { message: 'content management policy', code: 'content_filter', type: null } }, 400), { code: 'engine_refused', retryable: false }],
    ['too many requests', json({ error: { message: 'slow down' } }, 429, { 'retry-after': '7' }), { code: 'engine_rate_limited', retryable: true, retryAfter: 7 }],
    ['a wrong key', json({ error: { message: 'sk-test is wrong' } }, 401), { code: 'engine_failed', retryable: false, message: expect.not.stringContaining('sk-test') }],
    ['no such model', json({ error: { message: 'gpt-4o-mini?' } }, 404), { code: 'engine_failed', retryable: false }],
    ['a request too long', json({ error: { message: 'maximum context length is 8192 tokens', code: 'context_length_exceeded' } }, 400), { code: 'engine_failed', retryable: false }],
    ['a server that is down', json('<html>bad gateway', 502), { code: 'engine_failed', retryable: true }],
    ['HTML in place of JSON', json('<html>hello</html>'), { code: 'engine_failed', retryable: true }],
    ['no choices', json({ choices: [] }), { code: 'engine_failed', retryable: true }],
  ])('tells %s as what it is', async (_what, answer, error) => {
    const asking = model(await server.start(answer));
    await expect(generateStructured(asking, { ...question, ...form })).rejects.toMatchObject(error);
  });

  it('tells a server that nobody runs, and one that does not answer in time', async () => {
    const address = await server.start(() => {});
    await expect(model(address, { timeoutSeconds: 1 }).generate(question)).rejects.toMatchObject({ code: 'engine_timeout', retryable: true });
    await server.stop();
    await expect(model(address).generate(question)).rejects.toMatchObject({ code: 'engine_failed', retryable: true, message: expect.not.stringContaining('127.0.0.1') });
  });

  it('stops when the caller does', async () => {
    const caller = new AbortController();
    const asking = model(await server.start(() => caller.abort()));
    await expect(asking.generate({ ...question, signal: caller.signal })).rejects.toMatchObject({ code: 'canceled' });
  });

  it('learns what a server does not take, and does not ask with it again', async () => {
    const asking = model(
      await server.start(
        refusedParameter('max_tokens', "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        refusedParameter(null, 'json_schema is not supported by this backend'),
        said('{"price": 12}'),
      ),
    );
    for (const _ of [1, 2]) expect((await generateStructured(asking, { ...question, ...form })).value).toEqual({ price: 12 });
    const last = server.asked.at(-1)?.body;
    expect(server.asked).toHaveLength(4);
    expect(last).toMatchObject({ max_completion_tokens: 4096 });
    expect(last?.response_format).toBeUndefined();
    expect(last?.messages.at(-1)?.content).toContain('"price"');
  });

  it('streams pieces, then how it ended', async () => {
    const piece = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    const asking = model(await server.start(streamed(piece('Twel'), piece('ve.'), { choices: [{ delta: {}, finish_reason: 'stop' }] }, { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } })));
    const heard: GenerationEvent[] = [];
    for await (const event of asking.stream(question)) heard.push(event);
    expect(heard).toEqual([{ type: 'delta', text: 'Twel' }, { type: 'delta', text: 've.' }, { type: 'end', finishReason: 'complete', usage: { inputTokens: 5, outputTokens: 2 } }]);
    expect(server.asked[0]?.body.stream).toBe(true);
  });

  it('tells a stream that breaks off', async () => {
    const asking = model(await server.start(streamed({ choices: [{ delta: { content: 'Twel' } }] })));
    const listen = async () => {
      for await (const event of asking.stream(question)) expect(event.type).toBe('delta');
    };
    await expect(listen()).rejects.toMatchObject({ code: 'engine_failed' });
  });
});

describe('languageModelFromUrl', () => {
  it('gives the model that the URL names, or none', () => {
    expect(languageModelFromUrl('built-in:')).toBeUndefined();
    expect(languageModelFromUrl('openai+https://example.org/v1?model=qwen&contextTokens=8000')?.info).toEqual({ name: 'openai:qwen', languages: [], contextTokens: 8000, maxOutputTokens: 2000 });
  });

  it.each(['nonsense', 'ftp://example.org', 'openai+https://user:secret@example.org/v1', 'openai+https://example.org/v1?contextTokens=few', 'openai+https://example.org/v1?modle=x'])(
    'refuses %s with the setting’s name and without the URL',
    (url) => {
      expect(() => languageModelFromUrl(url)).toThrow(/LANGUAGE_MODEL_URL/);
      expect(() => languageModelFromUrl(url)).not.toThrow(/secret|example\.org/);
    },
  );
});
