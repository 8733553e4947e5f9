import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addressOf, fieldsOf, UNUSABLE_TEXTS, WRONG_PARAMETERS, WRONG_VALUES } from '../../test/wrong-input.js';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { ROUTE_TABLE } from '../docs/route-table.js';
import { SCOPES } from '../keys/scope.js';
import type { Operation } from './operation.js';
import { isProblemCode } from './problem-catalogue.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const GUARDED = ROUTE_TABLE.filter(({ access }) => access !== 'public');
const WITH_BODY = ROUTE_TABLE.filter(({ body }) => body?.schema !== undefined);
/** Read by the same reader: what is sent to them is read, also by those that take no field. */
const READ = ROUTE_TABLE.filter(({ method, body }) => method !== 'GET' && body?.binary === undefined);

interface Refusal {
  status: number;
  code: string;
  errors: { pointer: string; code: string }[];
}

/** Each route of the table, so that a new one is held to it by being there. */
describe('every route, given what it does not take,', () => {
  let gateway: GatewayHarness;
  let ids: Record<string, string>;
  let othersIds: Record<string, string>;
  beforeAll(async () => {
    // No limit but those that are looked at here.
    gateway = await GatewayHarness.start({ UPLOAD_STALL_SECONDS: '5', RATE_LIMIT_PER_MINUTE: '1000000', WRONG_KEYS_PER_MINUTE: '100000' });
    ids = { job_id: await gateway.submit() };
    const other = gateway.as((await gateway.createAccount()).apiKey);
    othersIds = { job_id: await other.submit(), key_id: await other.keyId() };
  });
  afterAll(async () => {
    const live = await fetch(`${gateway.url}/health/live`);
    await gateway[Symbol.asyncDispose]();
    expect(live.status).toBe(200);
  });

  const ask = (operation: Operation, { query = '', address = ids, ...init }: RequestInit & { query?: string; address?: Record<string, string> } = {}) =>
    gateway.fetch(`${addressOf(operation, address)}${query}`, { method: operation.method, ...init });

  /** The answer as a problem, checked for what each has; with what it was an answer to, for the test's report. */
  const refusalOf = async (response: Response, what: string): Promise<Refusal & { what: string }> => {
    const text = await response.text();
    const isRefusal = response.status >= 400 && response.status < 500;
    expect({ what, status: response.status, isRefusal, type: response.headers.get('content-type') }).toMatchObject({ what, isRefusal: true, type: 'application/problem+json; charset=utf-8' });
    const { code, status, errors = [], ...rest } = JSON.parse(text) as Refusal & Record<string, unknown>;
    expect({ what, ...rest }).toMatchObject({ what, type: `/problems/${code}`, request_id: response.headers.get('x-request-id'), retryable: expect.any(Boolean), detail: expect.any(String) });
    expect([what, status, isProblemCode(code)]).toEqual([what, response.status, true]);
    expect(text).not.toMatch(/\bat .*\.[jt]s:\d|node_modules/);
    return { what, status, code, errors };
  };
  const refused = async (operation: Operation, how: string, init?: Parameters<typeof ask>[1]) => refusalOf(await ask(operation, init), `${operation.id} with ${how}`);
  /** What may be a right value for one route, and is then answered; never with a fault of ours. */
  const survived = async (operation: Operation, how: string, init?: Parameters<typeof ask>[1]) => {
    const response = await ask(operation, init);
    if (response.status >= 400) return refusalOf(response, `${operation.id} with ${how}`);
    return void (await response.body?.cancel());
  };
  const all = <T>(operations: readonly Operation[], check: (operation: Operation) => Promise<T>) => Promise.all(operations.map(check));

  it('no key, or a wrong one: 401', async () => {
    const mistyped = `${gateway.apiKey.slice(0, -1)}${gateway.apiKey.endsWith('0') ? '1' : '0'}`;
    const headers: Record<string, string>[] = [{ authorization: '' }, { authorization: `Bearer ${mistyped}` }, { authorization: 'Basic YTpi' }, { 'x-api-key': mistyped }];
    await all(GUARDED, async (operation) => {
      for (const wrong of headers) {
        const { what, status, code } = await refused(operation, JSON.stringify(wrong), { headers: wrong });
        expect({ what, status, code }).toEqual({ what, status: 401, code: 'unauthenticated' });
      }
    });
  });

  it('a key without its scope: 403', async () => {
    for (const scope of SCOPES) {
      const { apiKey } = await gateway.createKey(SCOPES.filter((each) => each !== scope));
      await all(ROUTE_TABLE.filter(({ access }) => access === scope), async (operation) => {
        const { what, status, code } = await refused(operation, `no ${scope}`, { headers: { authorization: `Bearer ${apiKey}` } });
        expect({ what, status, code }).toEqual({ what, status: 403, code: 'insufficient_scope' });
      });
    }
  });

  it('the id of another account, or none: 404', async () => {
    await all(GUARDED.filter(({ path }) => path.includes('{')), async (operation) => {
      const names = Object.keys(operation.params.shape);
      for (const address of [othersIds, Object.fromEntries(names.map((name) => [name, 'x'])), Object.fromEntries(names.map((name) => [name, '%00']))]) {
        const body = operation.body && { body: bodyOf(operation), headers: JSON_TYPE };
        const { what, status, code } = await refused(operation, JSON.stringify(address), { address, ...body });
        // A body or query that is wrong may be named first.
        if ((operation.body || !operation.query.safeParse({}).success) && status === 422) continue;
        expect({ what, status, code }).toEqual({ what, status: 404, code: 'not_found' });
      }
    });
  });

  it('a query parameter that it does not have: 422 unknown_field, but for links, to which others add parameters', async () => {
    await all(ROUTE_TABLE.filter(({ id }) => id !== 'openLink'), async (operation) => {
      const { what, status, code, errors } = await refused(operation, 'an unknown parameter', {
        query: '?no_such_parameter=1',
        ...(operation.body && { body: bodyOf(operation), headers: JSON_TYPE }),
      });
      // What is lacking is told of as well.
      expect([what, code]).toEqual([what, errors.length > 1 ? 'invalid_request' : 'unknown_field']);
      expect({ what, status, errors }).toEqual({ what, status: 422, errors: expect.arrayContaining([expect.objectContaining({ pointer: '?no_such_parameter', code: 'unknown_field' })]) });
    });
  });

  it('wrong values of its query parameters: no fault, and NUL is refused', async () => {
    await all(ROUTE_TABLE.filter(({ query }) => Object.keys(query.shape).length > 0), async (operation) => {
      const names = Object.keys(operation.query.shape).map((name) => (name === 'metadata' ? 'metadata[a]' : name));
      for (const value of WRONG_PARAMETERS) {
        const query = `?${names.map((name) => `${name}=${value}`).join('&')}`;
        const refusal = await survived(operation, query.slice(0, 200), { query, ...(operation.body && { body: bodyOf(operation), headers: JSON_TYPE }) });
        if (value === '%00') expect([refusal?.what, refusal?.status]).toEqual([refusal?.what, 422]);
      }
    });
  });

  it('a body of the wrong type: 422', async () => {
    await all(WITH_BODY, async (operation) => {
      for (const body of ['[]', '"text"', '1', 'null', 'true']) {
        const { what, status, errors } = await refused(operation, body, { body, headers: JSON_TYPE });
        expect({ what, status, errors }).toEqual({ what, status: 422, errors: expect.arrayContaining([expect.objectContaining({ pointer: '' })]) });
      }
    });
  });

  it('a body that is no JSON, no UTF-8 or broken off: 400', async () => {
    await all(READ, async (operation) => {
      for (const body of ['{"a":', 'nope', new Uint8Array([0x22, 0xff, 0x22]), '{"a":1}}']) {
        const { what, status, code } = await refused(operation, String(body), { body, headers: JSON_TYPE });
        expect({ what, status, code }).toEqual({ what, status: 400, code: 'malformed_json' });
      }
    });
  });

  it('a field that it does not have: 422', async () => {
    await all(READ, async (operation) => {
      const { what, status, errors } = await refused(operation, 'an unknown field', { body: '{"no_such_field":1,"__proto__":{"a":1}}', headers: JSON_TYPE });
      expect({ what, status, errors }).toEqual({ what, status: 422, errors: expect.arrayContaining([expect.objectContaining({ pointer: '/no_such_field', code: 'unknown_field' })]) });
    });
  });

  it('fields of the wrong type, negative, huge and over-long: 422, each with its place', async () => {
    await all(WITH_BODY, async (operation) => {
      const fields = fieldsOf(operation);
      for (const [name, value] of Object.entries(WRONG_VALUES)) {
        const body = JSON.stringify(Object.fromEntries(fields.map((field) => [field, value])));
        const refusal = await survived(operation, `${name} in each field`, { body, headers: JSON_TYPE });
        // Nulls are absent, and what remains is a body without what it needs.
        const errors = refusal?.status === 422 ? refusal.errors.filter(({ pointer }) => pointer !== '') : [];
        for (const { pointer } of errors) expect([refusal?.what, fields]).toEqual([refusal?.what, expect.arrayContaining([pointer.split('/')[1]])]);
      }
    });
  });

  it('NUL and half a surrogate pair in a text: 422, in each field', async () => {
    await all(WITH_BODY, async (operation) => {
      const fields = fieldsOf(operation);
      for (const [name, text] of Object.entries(UNUSABLE_TEXTS)) {
        const body = JSON.stringify(Object.fromEntries(fields.map((field) => [field, text])));
        const { what, status, errors } = await refused(operation, `${name} in each field`, { body, headers: JSON_TYPE });
        expect({ what, status, fields: [...new Set(errors.map(({ pointer }) => pointer.split('/')[1]))].toSorted() }).toEqual({ what, status: 422, fields: fields.toSorted() });
      }
    });
  });

  it('another content type, charset or coding: 415', async () => {
    await all(READ, async (operation) => {
      const wrong: Record<string, string>[] = [{ 'content-type': 'text/plain' }, { 'content-type': 'application/json; charset=utf-16' }, { 'content-type': '' }, { ...JSON_TYPE, 'content-encoding': 'gzip' }];
      for (const headers of wrong) {
        const { what, status, code } = await refused(operation, JSON.stringify(headers), { body: bodyOf(operation), headers });
        expect({ what, status, code }).toEqual({ what, status: 415, code: 'unsupported_media_type' });
      }
    });
  });

  it('a method that it does not have: 405, with those that it has', async () => {
    await all(ROUTE_TABLE, async (operation) => {
      const response = await ask(operation, { method: 'PUT' });
      const allow = response.headers.get('allow');
      const { what, status, code } = await refusalOf(response, operation.id);
      expect({ what, status, code, allow }).toEqual({ what, status: 405, code: 'method_not_allowed', allow: expect.stringContaining(operation.method) });
    });
  });

  it('headers that are too long or strange: no fault', async () => {
    await all(ROUTE_TABLE.filter(({ headers, method }) => headers && method === 'GET'), async (operation) => {
      for (const name of Object.keys(operation.headers ?? {})) {
        for (const value of ['x'.repeat(8000), 'é', '"', ',,,', '-1']) await survived(operation, `${name}: ${value.slice(0, 20)}`, { headers: { [name]: value } });
      }
    });
  });

  const open = async (operation: Operation, declared: string, sent: string): Promise<Socket> => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').on('error', () => undefined);
    const head = `${operation.method} ${addressOf(operation, ids)} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.apiKey}\r\n${declared}\r\n\r\n`;
    await new Promise((resolve) => socket.write(head + sent, resolve));
    return socket;
  };
  const answered = (socket: Socket) =>
    new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (bytes) => (text += bytes.toString())).once('close', () => resolve(text));
    });

  it('a body that is cut off, or comes too slowly: 400 and 408, and neither holds up another', async () => {
    const declared = 'content-type: application/json\r\ncontent-length: 900';
    const slow = all(READ, async (operation) => [operation.id, (await answered(await open(operation, declared, '{"audio_url": "'))).split('\r\n')[0]]);
    await all(READ, async (operation) => (await open(operation, declared, '{"audio_url": "')).destroy());
    const cut = all(READ, async (operation) => {
      const socket = await open(operation, declared, '{"audio_url": "');
      const text = answered(socket);
      socket.end();
      // Of who is gone already there may be nobody to tell.
      expect([operation.id, await text]).toEqual([operation.id, expect.stringMatching(/^$|^HTTP\/1\.1 400 [\s\S]*application\/problem\+json/)]);
    });
    await cut;
    expect((await gateway.call('GET', '/account')).status).toBe(200);
    expect(await slow).toEqual(READ.map(({ id }) => [id, 'HTTP/1.1 408 Request Timeout']));
  });
});

/** Right where nothing is needed, else an object that lacks it. */
const bodyOf = ({ id }: Operation): string => (id === 'createTranscription' ? '{"audio_url":"https://example.org/a.mp3"}' : '{}');
