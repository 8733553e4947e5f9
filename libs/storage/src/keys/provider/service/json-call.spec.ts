import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { HttpDouble } from '../../../../test/key-services/http-double.js';
import { callJson, redirectOf } from './json-call.js';

const redirect = (location: string, status = 307) => ({ status, headers: new Headers({ location }) });

describe('a call with JSON', () => {
  it('follows one redirect, with its method, headers and body', async () => {
    const active = await HttpDouble.start(({ method, headers, body }) => ({ status: 200, body: { method, token: headers['x-vault-token'], body } }));
    const standby = await HttpDouble.start(({ path }) => ({ status: 307, headers: { location: `${active.url}${path}` } }));
    const call = { method: 'POST' as const, headers: { 'x-vault-token': 'root' }, body: { plaintext: 'AAAA' }, signal: AbortSignal.timeout(10_000) };
    expect(await callJson(`${standby.url}/v1/key`, call)).toEqual({ method: 'POST', token: 'root', body: { plaintext: 'AAAA' } });
    active.fault = { status: 307, headers: { location: `${active.url}/again` } };
    await expect(callJson(`${standby.url}/v1/key`, call)).rejects.toMatchObject({ name: 'HttpRefusal', status: 307 });
    await Promise.all([active.stop(), standby.stop()]);
  });

  it('takes its credentials and keys to no place without TLS that a service with TLS names', () => {
    expect(redirectOf(redirect('http://vault/v1/key'), 'https://standby/v1/key')).toBeUndefined();
    expect(redirectOf(redirect('https://vault/v1/key'), 'https://standby/v1/key')).toBe('https://vault/v1/key');
    expect(redirectOf(redirect('/v1/other'), 'http://standby/v1/key')).toBe('http://standby/v1/other');
    expect(redirectOf(redirect('file:///etc/passwd'), 'http://standby/v1/key')).toBeUndefined();
    expect(redirectOf(redirect('https://vault/v1/key', 302), 'https://standby/v1/key')).toBeUndefined();
  });

  it('does not quote an answer that is no JSON: it may be a key', async () => {
    const service = createServer((_request, response) => response.end('c2VjcmV0')).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    await expect(callJson(url, { method: 'GET', signal: AbortSignal.timeout(10_000) })).rejects.toThrow(/^The answer is not JSON\.$/);
    service.close();
  });
});
