import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';

const LONG = 100_000;

/** One raw exchange over a connection of its own. */
function exchange(url: string, request: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', reject);
    socket.on('data', (bytes) => (text += bytes.toString())).on('close', () => resolve({ status: Number(text.slice(9, 12)), text }));
    socket.write(request);
  });
}

describe('the head of a request', () => {
  const opened = new AsyncDisposableStack();
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = opened.use(await GatewayHarness.start({ SIGNUP: 'closed' }));
  });
  afterAll(() => opened.disposeAsync());

  const asked = (fields: string, path = '/health/live', version = '1.1') => exchange(gateway.url, `GET ${path} HTTP/${version}\r\n${fields}connection: close\r\n\r\n`);

  it.each([
    ['no Host', ''],
    ['two Hosts', 'Host: a.example\r\nHost: b.example\r\n'],
    ['the same Host twice, in other cases', 'Host: a.example\r\nhOST: a.example\r\n'],
    ['a Host with a path', 'Host: a.example/b\r\n'],
    ['a Host with a user', 'Host: user@a.example\r\n'],
    ['two names in a Host', 'Host: a.example b.example\r\n'],
  ])('with %s is refused with 400', async (_, fields) => {
    const { status, text } = await asked(fields);
    expect([status, text]).toEqual([400, expect.stringContaining('malformed_request')]);
  });

  it.each(['a.example', 'a.example:8080', '127.0.0.1:3000', '[::1]:3000', 'xn--bcher-kva.example', ''])('with the Host %s is served', async (host) => {
    expect((await asked(`Host: ${host}\r\n`)).status).toBe(200);
  });

  it('needs a Host since HTTP/1.1, and has at most one before', async () => {
    expect((await asked('', '/health/live', '1.0')).status).toBe(200);
    expect((await asked('Host: a\r\nHost: b\r\n', '/health/live', '1.0')).status).toBe(400);
  });

  it('with more than 16 kB of fields is refused with 431, and so is a Content-Type of more than 256 bytes', async () => {
    for (const fields of [`Cookie: ${'c'.repeat(17_000)}\r\n`, `${'a: b\r\n'.repeat(3000)}`, `Content-Type: application/json${';'.repeat(250)}\r\n`]) {
      const { status, text } = await asked(`Host: a\r\n${fields}`);
      expect([status, text]).toEqual([431, expect.stringContaining('head_too_large')]);
    }
  });

  it('is refused before the body arrives, and so is a sign-up where it is closed', async () => {
    const posting = (type: string) => exchange(gateway.url, `POST /api/v1/signup HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: 900\r\n\r\n{`);
    expect((await posting('application/json')).status).toBe(403);
    expect((await posting(`application/json${';'.repeat(LONG)}`)).status).toBe(431);
  });
});
