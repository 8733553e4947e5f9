import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { SCOPES } from './scope.js';

const OWN_KEY = 'an-operators-own-key-of-any-form';

describe('keys over HTTP', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ BOOTSTRAP_API_KEY: OWN_KEY });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const as = (apiKey: string) => ({ headers: { authorization: `Bearer ${apiKey}` } });
  const make = async (body: Record<string, unknown>) => {
    const answer = await gateway.call<{ key_id: string; api_key: string; scopes: string[] }>('POST', '/keys', { json: body });
    expect(answer.status).toBe(201);
    return answer.body;
  };

  it('are needed, and a refusal says how', async () => {
    const response = await fetch(`${gateway.url}/api/v1/account`);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toMatchObject({ code: 'unauthenticated', status: 401, retryable: false });
  });

  it("belong to an account; the operator's own key to the first one", async () => {
    expect((await gateway.call('GET', '/account')).body).toMatchObject({ account_id: gateway.accountId, email: 'ada@example.org' });
    const response = await fetch(`${gateway.url}/api/v1/account`, { headers: { 'x-api-key': OWN_KEY } });
    expect(await response.json()).toMatchObject({ account_id: 'acc_00000000000000000000000000' });
  });

  it('do only what their scopes allow', async () => {
    const { apiKey } = await gateway.createKey(['transcriptions:read']);
    const read = await gateway.call('GET', '/transcriptions', as(apiKey));
    const write = await gateway.call('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3' }, headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' } });
    expect([read.status, write.status]).toEqual([200, 403]);
    expect(write.body).toMatchObject({ code: 'insufficient_scope' });
  });

  it('can be made with the scopes of their maker or fewer, and are shown once', async () => {
    const made = await make({ name: 'worker' });
    expect(made.scopes.toSorted()).toEqual(SCOPES.toSorted());
    expect((await gateway.call('GET', '/account', as(made.api_key))).status).toBe(200);
    const { body } = await gateway.call<{ data: Record<string, unknown>[] }>('GET', '/keys');
    expect(body.data.map(({ key_id }) => key_id)).toContain(made.key_id);
    expect(JSON.stringify(body)).not.toContain(made.api_key.slice(-20));
    const keysOnly = await make({ name: 'admin', scopes: ['keys'] });
    const more = await gateway.call('POST', '/keys', {
      json: { name: 'more', scopes: ['keys', 'search'] },
      headers: { authorization: `Bearer ${keysOnly.api_key}`, 'content-type': 'application/json' },
    });
    expect(more).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });

  it('can be revoked, and then open nothing', async () => {
    const made = await make({ name: 'short-lived' });
    expect((await gateway.call('GET', '/account', as(made.api_key))).status).toBe(200);
    expect((await gateway.call('DELETE', `/keys/${made.key_id}`)).status).toBe(204);
    expect((await gateway.call('GET', '/account', as(made.api_key))).status).toBe(401);
    expect((await gateway.call('DELETE', `/keys/${made.key_id}`)).status).toBe(404);
  });

  it('can be rotated: both work during the overlap, without one the old ends at once', async () => {
    const old = await make({ name: 'rotated', scopes: ['usage'] });
    const kept = await gateway.call<{ api_key: string; scopes: string[] }>('POST', `/keys/${old.key_id}/rotate`, { json: { overlap_seconds: 60 } });
    expect(kept).toMatchObject({ status: 201, body: { scopes: ['usage'] } });
    expect((await gateway.call('GET', '/account', as(old.api_key))).status).toBe(200);
    expect((await gateway.call('GET', '/account', as(kept.body.api_key))).status).toBe(200);
    expect((await gateway.call('POST', `/keys/${old.key_id}/rotate`)).status).toBe(201);
    expect((await gateway.call('GET', '/account', as(old.api_key))).status).toBe(401);
  });

  it('must expire in the future', async () => {
    const past = await gateway.call('POST', '/keys', { json: { name: 'old', expires_at: '2020-01-01T00:00:00Z' } });
    expect(past).toMatchObject({ status: 422, body: { errors: [{ pointer: '/expires_at', code: 'invalid_value' }] } });
    const { apiKey } = await gateway.createKey([], new Date(Date.now() - 1000));
    expect((await gateway.call('GET', '/account', as(apiKey))).status).toBe(401);
  });

  it('of another account cannot be seen or touched', async () => {
    const { apiKey } = await gateway.createAccount();
    const made = await make({ name: 'mine' });
    expect((await gateway.call('DELETE', `/keys/${made.key_id}`, as(apiKey))).status).toBe(404);
    expect((await gateway.call('POST', `/keys/${made.key_id}/rotate`, as(apiKey))).status).toBe(404);
  });
});
