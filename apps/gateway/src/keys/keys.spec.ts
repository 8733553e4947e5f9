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
    for (const headers of [{ authorization: 'Bearer wrong' }, { 'x-api-key': 'wrong' }]) {
      const wrong = await fetch(`${gateway.url}/api/v1/account`, { headers });
      expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"']);
    }
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

  it('say when they were last used', async () => {
    const made = await make({ name: 'used' });
    const listed = async () => (await gateway.call<{ data: { key_id: string; last_used_at?: string }[] }>('GET', '/keys')).body.data.find(({ key_id }) => key_id === made.key_id);
    expect((await listed())?.last_used_at).toBeUndefined();
    await gateway.call('GET', '/account', as(made.api_key));
    expect(Date.now() - Date.parse((await listed())?.last_used_at ?? '')).toBeLessThan(60_000);
  });

  it('cannot remove or replace a key that may do more, nor lock its owner out', async () => {
    const { apiKey } = await gateway.createAccount();
    const owner = gateway.as(apiKey);
    const { body } = await owner.call<{ api_key: string; key_id: string }>('POST', '/keys', { json: { name: 'team', scopes: ['keys'] } });
    const ownerKey = (await owner.call<{ data: { key_id: string; scopes: string[] }[] }>('GET', '/keys')).body.data.find(({ scopes }) => scopes.length > 1)?.key_id;
    const keysOnly = gateway.as(body.api_key);
    for (const [method, path] of [['DELETE', `/keys/${ownerKey}`], ['DELETE', `/keys/${ownerKey}?allow_lockout=true`], ['POST', `/keys/${ownerKey}/rotate`]] as const) {
      expect(await keysOnly.call(method, path)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    }
    expect((await owner.call('GET', '/transcriptions')).status).toBe(200);
    // Beside it there is a key with `keys`, but none that could give the other scopes.
    expect(await owner.call('DELETE', `/keys/${ownerKey}`)).toMatchObject({ status: 409, body: { code: 'last_key' } });
    expect((await owner.call('DELETE', `/keys/${body.key_id}`)).status).toBe(204);
  });

  it('cannot lock their account out without a word', async () => {
    const { apiKey } = await gateway.createAccount();
    const { body } = await gateway.call<{ data: { key_id: string }[] }>('GET', '/keys', as(apiKey));
    const [only] = body.data;
    const refused = await gateway.call('DELETE', `/keys/${only?.key_id}`, as(apiKey));
    expect(refused).toMatchObject({ status: 409, body: { code: 'last_key', retryable: false } });
    expect((await gateway.call('DELETE', `/keys/${only?.key_id}?allow_lockout=true`, as(apiKey))).status).toBe(204);
    expect((await gateway.call('GET', '/account', as(apiKey))).status).toBe(401);
  });

  it('must expire in the future', async () => {
    const past = await gateway.call('POST', '/keys', { json: { name: 'old', expires_at: '2020-01-01T00:00:00Z' } });
    expect(past).toMatchObject({ status: 422, body: { errors: [{ pointer: '/expires_at', code: 'invalid_value' }] } });
    const farOff = await gateway.call('POST', '/keys', { json: { name: 'far off', expires_at: '9999-12-31T23:59:59-14:00' } });
    expect(farOff).toMatchObject({ status: 422, body: { errors: [{ pointer: '/expires_at' }] } });
    const { apiKey } = await gateway.createKey([], new Date(Date.now() - 1000));
    expect((await gateway.call('GET', '/account', as(apiKey))).status).toBe(401);
  });

  it('that end make and replace none that last longer', async () => {
    const end = new Date(Date.now() + 3_600_000);
    const { apiKey, keyId } = await gateway.createKey(['keys'], end);
    const ask = (path: string, json: Record<string, unknown>) =>
      gateway.call<{ expires_at?: string }>('POST', path, { json, headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' } });
    expect(await ask('/keys', { name: 'as long' })).toMatchObject({ status: 201, body: { expires_at: end.toISOString() } });
    const sooner = new Date(end.getTime() - 1000).toISOString();
    expect(await ask('/keys', { name: 'sooner', expires_at: sooner })).toMatchObject({ status: 201, body: { expires_at: sooner } });
    const later = new Date(end.getTime() + 1).toISOString();
    expect(await ask('/keys', { name: 'later', expires_at: later })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/expires_at', code: 'invalid_value' }] } });
    const endless = await make({ name: 'endless', scopes: ['keys'] });
    expect(await ask(`/keys/${endless.key_id}/rotate`, {})).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    expect((await gateway.call('GET', '/account', as(endless.api_key))).status).toBe(200);
    // Nor while the other one is being rotated, and ends soon itself.
    expect((await gateway.call('POST', `/keys/${endless.key_id}/rotate`, { json: { overlap_seconds: 60 } })).status).toBe(201);
    expect(await ask(`/keys/${endless.key_id}/rotate`, {})).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    expect(await ask(`/keys/${keyId}/rotate`, {})).toMatchObject({ status: 201, body: { expires_at: end.toISOString() } });
  });

  it('of another account cannot be seen or touched', async () => {
    const { apiKey } = await gateway.createAccount();
    const made = await make({ name: 'mine' });
    expect((await gateway.call('DELETE', `/keys/${made.key_id}`, as(apiKey))).status).toBe(404);
    expect((await gateway.call('POST', `/keys/${made.key_id}/rotate`, as(apiKey))).status).toBe(404);
  });
});
