import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';

const MAX_BYTES = 1000;
/** What the clients of each API read of an error. */
const FORMS = {
  openai: (message: unknown) => ({ error: { message, type: 'invalid_request_error', param: null, code: expect.any(String) } }),
  deepgram: (message: unknown) => ({ err_code: expect.any(String), err_msg: message, request_id: expect.any(String) }),
  assemblyai: (message: unknown) => ({ error: message }),
  asr: (message: unknown) => ({ detail: message }),
  ours: (detail: unknown) => expect.objectContaining({ code: expect.any(String), detail }),
};

const ROUTES: [keyof typeof FORMS, string, string][] = [
  ['openai', '/v1/audio/transcriptions', 'multipart/form-data; boundary=b'],
  ['deepgram', '/v1/listen', 'audio/flac'],
  ['deepgram', '/compat/deepgram/v1/listen', 'audio/flac'],
  ['assemblyai', '/v2/upload', 'application/octet-stream'],
  ['assemblyai', '/compat/assemblyai/v2/upload', 'application/octet-stream'],
  ['asr', '/asr', 'multipart/form-data; boundary=b'],
  ['ours', '/api/v1/uploads', 'audio/flac'],
];
const RAW = ROUTES.filter(([, , type]) => !type.startsWith('multipart'));

describe('an upload that does not come as its head says', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ COMPAT_ROOTS: 'deepgram,assemblyai,asr', MEDIA_MAX_BYTES: String(MAX_BYTES), UPLOAD_STALL_SECONDS: '1' });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  /** The answer to a body whose connection stays open, or whose client sends no more and waits. */
  async function answerTo(path: string, type: string, { head, body, isCut = false }: { head: string; body: string; isCut?: boolean }) {
    const client = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    client.on('error', () => {}).on('data', (bytes) => (answer += String(bytes)));
    client.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${gateway.apiKey}\r\nContent-Type: ${type}\r\n${head}\r\n\r\n`);
    client.write(body);
    if (isCut) client.end();
    await once(client, 'end');
    client.destroy();
    const [first = '', json = ''] = answer.split('\r\n\r\n');
    return [Number(first.split(' ')[1]), JSON.parse(json)];
  }

  it.each(ROUTES)('is refused in the form of %s when it stands still: %s', async (api, path, type) => {
    const refused = [408, FORMS[api](expect.stringContaining('no data'))];
    expect(await Promise.all([answerTo(path, type, { head: 'Content-Length: 500', body: '' }), answerTo(path, type, { head: 'Transfer-Encoding: chunked', body: '4\r\nRIFF\r\n' })])).toEqual([refused, refused]);
  });

  it.each(ROUTES)('is refused in the form of %s when it is cut off: %s', async (api, path, type) => {
    expect(await answerTo(path, type, { head: 'Content-Length: 500', body: 'RIFF', isCut: true })).toEqual([400, FORMS[api](expect.any(String))]);
  });

  it.each(ROUTES)('is refused in the form of %s when bytes without a meaning follow: %s', async (api, path, type) => {
    expect(await answerTo(path, type, { head: 'Transfer-Encoding: chunked', body: '4\r\nRIFFRIFF\r\n' })).toEqual([400, FORMS[api](expect.any(String))]);
  });

  it.each(RAW)('is refused in the form of %s while it comes, once it is too large: %s', async (api, path, type) => {
    const bytes = 'x'.repeat(MAX_BYTES + 1);
    expect(await answerTo(path, type, { head: 'Transfer-Encoding: chunked', body: `${bytes.length.toString(16)}\r\n${bytes}\r\n` })).toEqual([413, FORMS[api](expect.stringContaining('larger'))]);
  });

  it('makes no job', () => {
    expect(gateway.services.created).toEqual([]);
  });
});
