import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock as clock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { defaultPlans } from '../../test/default-plans.js';
import { adoptedId } from '../keys/api-key.js';
import { ApiKeys } from '../keys/api-keys.js';
import { Accounts } from './accounts.js';

describe('the key that the operator chose', () => {
  const opened = new AsyncDisposableStack();
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-bootstrap-'));
    opened.defer(() => rm(folder, { recursive: true }));
  });
  afterAll(() => opened.disposeAsync());

  async function open(name: string): Promise<{ accounts: Accounts; holderOf: (apiKey: string) => Promise<string | undefined> }> {
    const ids = ulidGenerator();
    const documents = await openDocumentDatabase(`sqlite:${join(folder, name)}`, { clock, ids, log: silentLogger(), source: 'gateway' });
    opened.defer(() => documents.close());
    const keys = new ApiKeys(documents, clock, ids, (length) => randomBytes(length));
    return { accounts: new Accounts(documents, keys, defaultPlans(), clock, ids), holderOf: async (apiKey) => (await keys.get(adoptedId(apiKey)))?.accountId };
  }

  it('is for the account that the installation came with, also when it is another one later', async () => {
    const { accounts, holderOf } = await open('first.db');
    const { account } = await accounts.create({ organization: 'first account' });
    await accounts.create({ email: 'ada@example.org' });
    for (const apiKey of ['an-operators-own-key-1', 'an-operators-own-key-2']) await accounts.bootstrap(apiKey);
    expect([await holderOf('an-operators-own-key-1'), await holderOf('an-operators-own-key-2')]).toEqual([account.id, account.id]);
  });

  it('is not for whoever signed up first: they would see what the operator does', async () => {
    const { accounts, holderOf } = await open('strangers.db');
    await accounts.create({ email: 'stranger@example.org' });
    for (const apiKey of ['an-operators-own-key-1', 'an-operators-own-key-2']) await accounts.bootstrap(apiKey);
    expect([await holderOf('an-operators-own-key-1'), await holderOf('an-operators-own-key-2')]).toEqual(Array(2).fill('acc_00000000000000000000000000'));
  });
});
