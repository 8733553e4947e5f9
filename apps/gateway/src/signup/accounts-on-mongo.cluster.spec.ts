import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import { MongoPlayground } from '../../../../libs/storage/test/mongo-playground.js';
import { defaultPlans } from '../../test/default-plans.js';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { MailServer } from '../../test/mail-server.js';
import { accountTools, type AccountTools } from '../operators.js';

const SLOW_MS = 120_000;

interface Answer {
  account_id: string;
  api_key: string;
  signup_id: string;
  key_id: string;
  code: string;
}

describe('accounts on MongoDB, with two gateways', () => {
  const opened = new AsyncDisposableStack();
  const playground = new MongoPlayground();
  const url = `${playground.url}&createIndexes=true`;
  let mails: MailServer;
  let one: GatewayHarness;
  let other: GatewayHarness;

  beforeAll(async () => {
    opened.defer(async () => void (await playground.look((database) => database.dropDatabase(), 'gateway')));
    mails = opened.use(await MailServer.start());
    const settings = { ...mails.settings, DATABASE_URL: url, SIGNUPS_PER_HOUR: '3' };
    one = opened.use(await GatewayHarness.start(settings));
    other = opened.use(await GatewayHarness.start(settings));
  }, SLOW_MS);
  afterAll(() => opened.disposeAsync(), SLOW_MS);

  const post = (gateway: GatewayHarness, path: string, json: unknown) => gateway.call<Answer>('POST', path, { json });
  const codeOf = async (gateway: GatewayHarness, apiKey: string) => (await gateway.call<Answer>('GET', '/account', { headers: { authorization: `Bearer ${apiKey}` } })).body.code ?? 'ok';

  async function asOperator(work: (tools: AccountTools) => Promise<unknown>): Promise<void> {
    const dependencies = { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'gateway' };
    const documents = await openDocumentDatabase(url, dependencies);
    try {
      await work(accountTools(documents, defaultPlans(), systemClock, dependencies.ids));
    } finally {
      await documents.close();
    }
  }

  it('are signed up on one and verified on the other; what ends them is heard by both', async () => {
    const started = await post(one, '/signup', { email: 'ada@example.org' });
    expect(started.status).toBe(202);
    const made = await post(other, '/signup/verify', { signup_id: started.body.signup_id, code: await mails.codeTo('ada@example.org') });
    expect(made.status).toBe(201);
    expect([await codeOf(one, made.body.api_key), await codeOf(other, made.body.api_key)]).toEqual(['ok', 'ok']);

    const listed = await one.call<{ data: { key_id: string }[] }>('GET', '/keys', { headers: { authorization: `Bearer ${made.body.api_key}` } });
    const rotated = await other.call<Answer>('POST', `/keys/${listed.body.data[0]?.key_id}/rotate`, { headers: { authorization: `Bearer ${made.body.api_key}` } });
    expect(rotated.status).toBe(201);
    for (const gateway of [one, other]) await eventually('the end of the old key', async () => (await codeOf(gateway, made.body.api_key)) === 'unauthenticated');

    await asOperator(({ accounts }) => accounts.disable(made.body.account_id));
    for (const gateway of [one, other]) await eventually('the account to be disabled', async () => (await codeOf(gateway, rotated.body.api_key)) === 'account_disabled');
  }, SLOW_MS);

  it('keep a key that makes keys when two revoke each other at once, one on each', async () => {
    for (let round = 0; round < 10; round++) {
      const { apiKey } = await one.createAccount();
      const second = await one.as(apiKey).call<Answer>('POST', '/keys', { json: { name: 'second' } });
      const { body } = await one.as(apiKey).call<{ data: { key_id: string }[] }>('GET', '/keys');
      const first = body.data.find(({ key_id }) => key_id !== second.body.key_id)?.key_id;
      const answers = await Promise.all([one.as(apiKey).call('DELETE', `/keys/${second.body.key_id}`), other.as(second.body.api_key).call('DELETE', `/keys/${first}`)]);
      expect(answers.filter(({ status }) => status === 204).length).toBeLessThan(2);
      expect(answers.map(({ status }) => status).filter((status) => ![204, 401, 409].includes(status))).toEqual([]);
    }
  }, SLOW_MS);

  it('are counted together where they sign up', async () => {
    const statuses = [(await post(one, '/signup', { email: 'b@example.org' })).status, (await post(other, '/signup', { email: 'c@example.org' })).status];
    expect([...statuses, (await post(one, '/signup', { email: 'd@example.org' })).status, (await post(other, '/signup', { email: 'd@example.org' })).status]).toEqual([202, 202, 429, 429]);
  }, SLOW_MS);
});
