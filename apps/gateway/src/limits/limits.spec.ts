import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MetricReadings } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';

describe('limits of requests', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ RATE_LIMIT_PER_MINUTE: '10', ACCOUNT_RATE_LIMIT_PER_MINUTE: '11', JSON_BODY_MAX_BYTES: '2000' });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const as = (apiKey: string) => ({ headers: { authorization: `Bearer ${apiKey}` } });

  it('hold for each key and for all keys of an account; refusals of any kind count and carry the fields', async () => {
    const first = await gateway.call('GET', '/account');
    expect(first.headers.get('ratelimit-policy')).toBe('"key";q=10;w=60, "account";q=11;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"key";r=9;t=6, "account";r=10;t=6$/);
    expect((await gateway.call('GET', '/transcriptions/job_none')).headers.get('ratelimit')).toMatch(/^"key";r=[89];/);

    const spent = await Promise.all(Array.from({ length: 20 }, () => gateway.call('GET', '/account')));
    const refused = spent.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(8);
    expect(refused.length).toBeLessThanOrEqual(12);
    expect(refused[0]?.body).toMatchObject({ code: 'rate_limited', retryable: true, detail: 'The key has exceeded its request limit.' });
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused[0]?.headers.get('ratelimit')).toContain('"key";r=0');

    const { apiKey: reader } = await gateway.createKey(['usage']);
    const denied = await gateway.call('GET', '/transcriptions', as(reader));
    expect(denied.status).toBe(403);
    expect(denied.headers.get('ratelimit')).toContain('"key";r=9');
    const others = await Promise.all(Array.from({ length: 8 }, () => gateway.call('GET', '/account', as(reader))));
    expect(others.find(({ status }) => status === 429)?.body).toMatchObject({ detail: 'The account has exceeded its request limit.' });

    const metrics = new MetricReadings([await (await fetch(`${gateway.url}/metrics`)).text()]);
    for (const policy of ['key', 'account']) {
      const answers = [...spent, ...others].filter(({ body }) => (body as { detail?: string }).detail === `The ${policy} has exceeded its request limit.`);
      expect(metrics.total(`parlance_rate_limited_total{policy="${policy}"}`)).toBe(answers.length);
    }
  });

  it('are of nobody else: another account goes on, and who has no key is told nothing of them', async () => {
    const { apiKey } = await gateway.createAccount();
    expect((await gateway.call('GET', '/account', as(apiKey))).status).toBe(200);
    const stranger = await gateway.call('GET', '/account', as('pl_wrong'));
    expect(stranger.status).toBe(401);
    expect(stranger.headers.get('ratelimit')).toBeNull();
  });

  it('bound a JSON body', async () => {
    const { apiKey } = await gateway.createAccount();
    const answer = await gateway.call('POST', '/keys', { json: { name: 'x'.repeat(2000) }, headers: { ...as(apiKey).headers, 'content-type': 'application/json' } });
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });
});
