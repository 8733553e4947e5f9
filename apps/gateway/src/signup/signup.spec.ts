import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { MailServer, NOBODY } from '../../test/mail-server.js';

interface SignUpAnswer {
  account_id: string;
  api_key: string;
  free_minutes: number;
  signup_id: string;
  expires_at: string;
  code: string;
  errors: { pointer: string; code: string }[];
}

/** Without a key, as from another address behind the trusted proxy. */
async function post(gateway: GatewayHarness, path: string, json: unknown, from = '198.51.100.1') {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': from };
  const response = await fetch(`${gateway.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(json) });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: (await response.json()) as SignUpAnswer };
}

const accountOf = async (gateway: GatewayHarness, apiKey: string) => (await gateway.call('GET', '/account', { headers: { authorization: `Bearer ${apiKey}` } })).body;

describe('an open sign-up', () => {
  const opened = new AsyncDisposableStack();
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = opened.use(await GatewayHarness.start({ TRUSTED_PROXIES: '127.0.0.0/8', SIGNUPS_PER_HOUR: '3', WRONG_KEYS_PER_MINUTE: '5' }));
  });
  afterAll(() => opened.disposeAsync());

  it('gives an account and its key at once, and does not tell whether the address has one', async () => {
    const first = await post(gateway, '/signup', { email: 'Ada@Example.org', organization: ' Engines ' });
    expect(first).toMatchObject({ status: 201, body: { account_id: expect.stringMatching(/^acc_/), api_key: expect.stringMatching(/^pl_/), free_minutes: 300 } });
    expect(await accountOf(gateway, first.body.api_key)).toMatchObject({ account_id: first.body.account_id, email: 'ada@example.org', organization: 'Engines' });
    const second = await post(gateway, '/signup', { email: 'ada@example.org' });
    expect(second.status).toBe(201);
    expect(second.body.account_id).not.toBe(first.body.account_id);
  });

  it('is limited by the address that it comes from', async () => {
    const from = '2001:db8:1:2::1';
    for (const email of ['a@example.org', 'b@example.org', 'c@example.org']) expect((await post(gateway, '/signup', { email }, from)).status).toBe(201);
    // Another address of the same customer; and one that the caller made up, before its own.
    for (const same of ['2001:db8:1:2::ffff', `203.0.113.9, ${from}`]) {
      const refused = await post(gateway, '/signup', { email: 'd@example.org' }, same);
      expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
      expect(Number(refused.retryAfter)).toBeGreaterThan(3000);
    }
    expect((await post(gateway, '/signup', { email: 'd@example.org' }, '2001:db8:1:3::1')).status).toBe(201);
  });

  it('takes e-mail addresses only', async () => {
    const wrong = ['', 'ada', 'ada@', 'ada@example.org\r\nBcc: x@example.org', `${'a'.repeat(250)}@example.org`, 7, null];
    for (const [index, email] of wrong.entries()) {
      const { status, body } = await post(gateway, '/signup', { email }, `198.51.${10 + index}.1`);
      expect([status, body.errors[0]?.pointer]).toEqual([422, '/email']);
    }
    expect((await post(gateway, '/signup', { email: 'a@example.org', plan: 'unlimited' })).body.code).toBe('unknown_field');
  });

  it('counts what it refuses among the attempts of the address, and reads no further body then', async () => {
    const from = '198.51.30.1';
    for (let attempt = 0; attempt < 3; attempt++) expect((await post(gateway, '/signup', { email: 'nobody' }, from)).status).toBe(422);
    expect(await post(gateway, '/signup', { email: 'a@example.org' }, from)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    const codes = '198.51.31.1';
    for (let attempt = 0; attempt < 5; attempt++) expect((await post(gateway, '/signup/verify', { code: 1 }, codes)).status).toBe(422);
    expect((await post(gateway, '/signup/verify', { code: 1 }, codes)).status).toBe(429);
  });

  it('looks at no more codes of an address when they come all at once', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => post(gateway, '/signup/verify', { signup_id: 'sgn_1', code: '1234 5678' }, '198.51.33.1')));
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
  });

  it('takes bodies of 4 kB at most', async () => {
    const { status, body } = await post(gateway, '/signup', { email: 'a@example.org', organization: 'x'.repeat(4096) }, '198.51.32.1');
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
  });

  it('has nothing to verify', async () => {
    expect(await post(gateway, '/signup/verify', { signup_id: 'sgn_1', code: '1234 5678' })).toMatchObject({ status: 422, body: { code: 'code_invalid' } });
  });

  it('is beside keys, of which an address may send so many wrong ones', async () => {
    const call = (apiKey: string, from: string) => fetch(`${gateway.url}/api/v1/account`, { headers: { 'x-api-key': apiKey, 'x-forwarded-for': from } });
    expect((await call(gateway.apiKey, '203.0.113.1')).status).toBe(200);
    const statuses: number[] = [];
    for (let tries = 0; tries < 6; tries++) statuses.push((await call('pl_wrong', '203.0.113.1')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    const refused = await call('pl_wrong', '203.0.113.1');
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call(gateway.apiKey, '203.0.113.1')).status).toBe(200);
    expect((await call('pl_wrong', '203.0.113.2')).status).toBe(401);
  });
});

describe('open sign-ups from many networks behind the trusted proxy', () => {
  it('are no more in an hour than the operator says, and leave keys in use', async () => {
    await using gateway = await GatewayHarness.start({ TRUSTED_PROXIES: '127.0.0.0/8', SIGNUPS_PER_HOUR_TOTAL: '12' });
    const asked = Array.from({ length: 40 }, (_, index) => post(gateway, '/signup', { email: `farmer${index}@example.org` }, `2001:db8:${index}::1`));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(12);
    expect(statuses.filter((status) => status === 429)).toHaveLength(28);
    expect((await gateway.call('GET', '/account')).status).toBe(200);
  });
});

describe('a verified sign-up', () => {
  const opened = new AsyncDisposableStack();
  let mails: MailServer;
  let settings: Record<string, string>;
  let one: GatewayHarness;
  let other: GatewayHarness;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-signup-'));
    opened.defer(() => rm(folder, { recursive: true }));
    mails = opened.use(await MailServer.start());
    settings = { ...mails.settings, DATABASE_URL: `sqlite:${folder}`, TRUSTED_PROXIES: '127.0.0.1' };
    one = await GatewayHarness.start(settings);
    other = opened.use(await GatewayHarness.start(settings));
  });
  afterAll(() => opened.disposeAsync());

  const ask = (email: string, gateway = other) => post(gateway, '/signup', { email, organization: 'Engines' });
  const verify = (signupId: string, code: string) => post(other, '/signup/verify', { signup_id: signupId, code });

  it('is finished with the code from the mail by another replica, after the first was stopped', async () => {
    const asked = await ask('grace@example.org', one);
    expect(asked).toMatchObject({ status: 202, body: { signup_id: expect.stringMatching(/^sgn_/) } });
    expect(asked.body.api_key).toBeUndefined();
    await one[Symbol.asyncDispose]();
    const code = await mails.codeTo('grace@example.org');
    expect(JSON.stringify(asked.body)).not.toContain(code);
    const verified = await verify(asked.body.signup_id, code);
    expect(verified).toMatchObject({ status: 201, body: { free_minutes: 300 } });
    expect(await accountOf(other, verified.body.api_key)).toMatchObject({ email: 'grace@example.org', organization: 'Engines' });
    expect(await verify(asked.body.signup_id, code)).toMatchObject({ status: 422, body: { code: 'code_invalid' } });
  });

  it('answers the same for an address that has an account, and lets who reads its mail in again', async () => {
    const first = await ask('mary@example.org');
    const made = await verify(first.body.signup_id, await mails.codeTo('mary@example.org'));
    const again = await ask('MARY@example.org');
    expect([again.status, Object.keys(again.body)]).toEqual([first.status, Object.keys(first.body)]);
    const back = await verify(again.body.signup_id, (await mails.codeTo('mary@example.org', 2)).replace(' ', '-'));
    expect(back).toMatchObject({ status: 201, body: { account_id: made.body.account_id } });
    expect(back.body.api_key).not.toBe(made.body.api_key);
  });

  it('ends after five wrong codes', async () => {
    const { body } = await ask('joan@example.org');
    const code = await mails.codeTo('joan@example.org');
    const wrong = code === '0000 0000' ? '0000 0001' : '0000 0000';
    for (let tries = 0; tries < 5; tries++) expect((await verify(body.signup_id, wrong)).body.code).toBe('code_invalid');
    expect((await verify(body.signup_id, code)).body.code).toBe('code_invalid');
  });

  it('sends an address five mails an hour, whoever asks', async () => {
    for (let mail = 1; mail <= 5; mail++) expect((await post(other, '/signup', { email: 'many@example.org' }, `198.51.100.${mail}`)).status).toBe(202);
    expect((await post(other, '/signup', { email: 'Many@example.org' }, '198.51.100.9')).status).toBe(429);
  });

  it('says when no mail can be sent', async () => {
    expect(await ask(NOBODY)).toMatchObject({ status: 422, body: { errors: [{ pointer: '/email' }] } });
    await mails.close();
    expect(await ask('late@example.org')).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  });

  it('does not start without a mail server', async () => {
    await expect(GatewayHarness.start({ SIGNUP: 'verified' })).rejects.toMatchObject({ problems: ['SMTP_URL: required with SIGNUP=verified', 'SMTP_FROM: required with SIGNUP=verified'] });
  });
});
