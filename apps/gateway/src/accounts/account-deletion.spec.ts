import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';

interface AccountAnswer {
  deletion?: { erasure_id: string; due_at: string };
}

describe('an account', () => {
  it('shows its limits but for those of services that do not answer', async () => {
    await using gateway = await GatewayHarness.start();
    const { status, body } = await gateway.call<{ limits: { name: string }[] }>('GET', '/account');
    expect([status, body.limits.map(({ name }) => name)]).toEqual([200, ['projects', 'vocabularies', 'tokens', 'unfinished_uploads', 'batch_bytes']]);
  });
});

describe('an account whose deletion was requested', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => void (gateway = await GatewayHarness.start({ ACCOUNT_DELETION_DAYS: '7' })));
  afterAll(() => gateway[Symbol.asyncDispose]());

  it('is closed for new jobs, takes no work, and is as before once that is withdrawn', async () => {
    const first = await gateway.call<AccountAnswer>('DELETE', '/account');
    expect(first).toMatchObject({ status: 202, body: { deletion: { erasure_id: expect.stringMatching(/^era_[0-9a-f]{32}$/) } } });
    expect(await gateway.call('DELETE', '/account')).toMatchObject({ status: 202, body: { deletion: first.body.deletion } });
    expect([...gateway.services.closed]).toEqual([gateway.accountId]);
    const refused = { status: 409, body: { code: 'account_deletion_scheduled', retryable: false } };
    for (const [method, path] of [['POST', '/transcriptions'], ['POST', '/keys'], ['POST', '/uploads'], ['PATCH', '/transcriptions/job_1']] as const) expect([path, await gateway.call(method, path, { json: {} })]).toMatchObject([path, refused]);
    expect((await gateway.fetch('/v1/audio/transcriptions', { method: 'POST' })).status).toBe(409);
    expect(await gateway.call('GET', '/transcriptions')).toMatchObject({ status: 200 });
    const restored = await gateway.call('POST', '/account/restore');
    expect([restored.status, 'deletion' in restored.body]).toEqual([200, false]);
    expect([...gateway.services.closed]).toEqual([]);
    expect(await gateway.call('POST', '/account/restore')).toMatchObject({ status: 200 });
    await gateway.submit();
  });

  it('is not deleted by a key without the scope keys, nor by a token', async () => {
    const { apiKey } = await gateway.createKey(['transcriptions:read', 'transcriptions:write']);
    for (const [method, path] of [['DELETE', '/account'], ['POST', '/account/restore'], ['POST', '/account/export'], ['POST', '/legal-hold']] as const) expect([path, await gateway.as(apiKey).call(method, path, { json: {} })]).toMatchObject([path, { status: 403, body: { code: 'insufficient_scope' } }]);
    const { body } = await gateway.call<{ token: string }>('POST', '/tokens', { json: { scopes: ['transcriptions:read'] } });
    expect(await gateway.as(body.token).call('DELETE', '/account')).toMatchObject({ status: 403 });
  });

  it('has a receipt that needs no key, and none for an id that was made up', async () => {
    const answer = await fetch(`${gateway.url}/api/v1/account-erasures/era_00000000000000000000000000000000`);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'not_found']);
  });
});
