import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';

/** What the clients of each API read of an error. */
const FORMS = {
  openai: (message: unknown) => ({ error: { message, type: expect.any(String), param: null, code: expect.any(String) } }),
  deepgram: (message: unknown) => ({ err_code: expect.any(String), err_msg: message, request_id: expect.any(String) }),
  assemblyai: (message: unknown) => ({ error: message }),
  asr: (message: unknown) => ({ detail: message }),
};
type Api = keyof typeof FORMS;

describe('an error that arises before the handler of another vendor’s API', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ COMPAT_ROOTS: 'deepgram,assemblyai,asr' });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
    const response = await gateway.fetch(path, { method, headers, ...(body !== undefined && { body }) });
    return { status: response.status, type: response.headers.get('content-type'), headers: response.headers, body: await response.json() };
  };

  it.each<[Api, string, string, number]>([
    ['openai', 'GET', '/v1/nothing', 404],
    ['openai', 'GET', '/v1/audio/transcriptions', 405],
    ['openai', 'GET', '/compat/openai/v1/audio', 404],
    ['openai', 'DELETE', '/compat/openai/models', 405],
    ['deepgram', 'PUT', '/v1/listen', 405],
    ['deepgram', 'POST', '/v1/speak', 404],
    ['deepgram', 'GET', '/compat/deepgram/v1/projects', 404],
    ['assemblyai', 'GET', '/v2/upload', 405],
    ['assemblyai', 'POST', '/v2/realtime/token', 404],
    ['assemblyai', 'GET', '/compat/assemblyai/lemur', 404],
    ['asr', 'GET', '/asr', 405],
    ['asr', 'GET', '/compat/asr/docs', 404],
    ['openai', 'GET', '/v1/models/%E0%A4%A', 400],
    ['assemblyai', 'GET', '/v2/transcript/%E0%A4%A', 400],
    ['openai', 'GET', `/v1/models/${'a'.repeat(2000)}`, 414],
  ])('has the form of %s: %s %s %i', async (api, method, path, status) => {
    const answer = await ask(method, path);
    expect([answer.status, answer.type, answer.body]).toEqual([status, 'application/json; charset=utf-8', FORMS[api](expect.any(String))]);
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/OPTIONS/);
  });

  it.each<[Api, string]>([
    ['openai', '/v1/models'],
    ['deepgram', '/v1/listen'],
    ['assemblyai', '/v2/transcript'],
    ['asr', '/asr'],
  ])('has the form of %s for a head that is too large', async (api, path) => {
    const answer = await ask('POST', path, { 'x-large': 'x'.repeat(20_000) });
    expect([answer.status, answer.body]).toEqual([431, FORMS[api](expect.stringContaining('header fields'))]);
  });

  it.each<[Api, string]>([
    ['openai', '/v1/models'],
    ['deepgram', '/v1/listen?model=nova-3'],
    ['assemblyai', '/v2/transcript'],
    ['asr', '/compat/asr/asr'],
  ])('has the form of %s for a head that is no HTTP', async (api, path) => {
    const client = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    let answer = '';
    client.on('data', (bytes) => (answer += String(bytes)));
    client.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n`);
    await once(client, 'close');
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(body)).toEqual(FORMS[api](expect.any(String)));
  });

  it.each<[Api, string]>([
    ['openai', '/v1/realtime/client_secrets'],
    ['deepgram', '/v1/listen'],
    ['assemblyai', '/v2/transcript'],
  ])('has the form of %s for JSON that cannot be read', async (api, path) => {
    const answer = await ask('POST', path, { 'content-type': 'application/json' }, '{"audio_url":');
    expect([answer.status, answer.body]).toEqual([400, FORMS[api](expect.any(String))]);
  });

  it.each<[Api, string, string]>([
    ['openai', '/v1/models', 'Authorization: Bearer'],
    ['deepgram', '/v1/listen', 'Authorization: Token'],
    ['assemblyai', '/v2/transcript', 'Authorization: <API_KEY>'],
    ['asr', '/asr', 'the key as the password in the URL'],
  ])('of %s names the way in which its clients send the key', async (api, path, form) => {
    const method = api === 'openai' ? 'GET' : 'POST';
    const response = await fetch(gateway.url + path, { method });
    expect([response.status, await response.json()]).toEqual([401, FORMS[api](expect.stringContaining(form))]);
  });

  it('has our own form elsewhere', async () => {
    const { type } = await ask('GET', '/api/v1/nothing');
    expect(type).toBe('application/problem+json; charset=utf-8');
  });
});
