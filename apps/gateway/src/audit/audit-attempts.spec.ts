import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';

interface Recorded {
  event: string;
  action: string;
  actor_type: string;
  actor_id?: string;
  resources: string[];
  status?: number;
  address: string;
  request_id: string;
}

const REQUESTS_A_MINUTE = 60;

describe('attempts in the audit log', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ TRUSTED_PROXIES: '127.0.0.0/8', RATE_LIMIT_PER_MINUTE: String(REQUESTS_A_MINUTE) });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const records = async (query: string, apiKey = gateway.apiKey) => (await gateway.as(apiKey).call<{ data: Recorded[] }>('GET', `/audit?limit=100${query}`)).body.data;
  const recorded = async (actor: string, count = 1) => {
    let found: Recorded[] = [];
    await eventually('the records', async () => (found = await records(`&actor=${actor}`)).length >= count);
    return found;
  };

  it('are requests that are refused for their rate, but not each of a flood', async () => {
    const { apiKey, keyId } = await gateway.createKey(['transcriptions:read']);
    const answers = await Promise.all(Array.from({ length: 3 * REQUESTS_A_MINUTE }, () => gateway.as(apiKey).call('GET', '/transcriptions')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(REQUESTS_A_MINUTE);
    let attempts: Recorded[] = [];
    await eventually('an attempt', async () => (attempts = (await records(`&actor=${keyId}`)).filter(({ status }) => status === 429)).length > 0);
    expect(attempts[0]).toMatchObject({ event: 'answered', action: 'listTranscriptions', actor_type: 'key', resources: [] });
    expect(attempts.length).toBeLessThan(refused.length / 2);
  });

  it('are those of a key that has expired, which learns no more than that it is not valid', async () => {
    const { apiKey, keyId } = await gateway.createKey(['transcriptions:read'], new Date(Date.now() - 1000));
    const refused = await gateway.as(apiKey).call('GET', '/transcriptions/job_1', { headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(refused).toMatchObject({ status: 401, body: { detail: expect.stringContaining('not valid') } });
    expect(await recorded(keyId)).toMatchObject([{ action: 'getTranscription', resources: ['job_1'], status: 401, address: '203.0.113.9' }]);
  });

  it('are those for what is not there, and for what the key may not do', async () => {
    const { apiKey, keyId } = await gateway.createKey(['transcriptions:read']);
    await gateway.as(apiKey).call('GET', '/transcriptions/job_none');
    await gateway.as(apiKey).call('DELETE', '/transcriptions/job_none');
    expect((await recorded(keyId, 2)).map(({ action, status, resources }) => [action, status, resources])).toEqual([
      ['deleteTranscription', 403, ['job_none']],
      ['getTranscription', 404, ['job_none']],
    ]);
  });

  it('are said to need the scope audit, and how an older key gets it', async () => {
    const { apiKey } = await gateway.createKey(['transcriptions:read']);
    const refused = await gateway.as(apiKey).call('GET', '/audit');
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('parlance-admin keys grant <key_id> --scopes audit') } });
  });
});

it('begins with the sign-up that created the account, and from where it came', async () => {
  await using gateway = await GatewayHarness.start({ TRUSTED_PROXIES: '127.0.0.0/8' });
  const answer = await fetch(`${gateway.url}/api/v1/signup`, { method: 'POST', body: JSON.stringify({ email: 'ada@example.org' }), headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' } });
  const { api_key: apiKey } = (await answer.json()) as { api_key: string };
  const { body } = await gateway.as(apiKey).call<{ data: Recorded[] }>('GET', '/audit');
  expect(body.data).toMatchObject([{ event: 'answered', action: 'signUp', actor_type: 'signup', resources: [await gateway.as(apiKey).keyId()], status: 201, address: '203.0.113.7', request_id: answer.headers.get('x-request-id') }]);
  expect(JSON.stringify(body)).not.toContain('ada@');
});
