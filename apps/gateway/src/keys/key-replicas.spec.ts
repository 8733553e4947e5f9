import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { defaultPlans } from '../../test/default-plans.js';
import { Accounts } from '../accounts/accounts.js';
import { ApiKeys } from './api-keys.js';

describe('keys on two replicas over one store', () => {
  const opened = new AsyncDisposableStack();
  let folder: string;
  let one: GatewayHarness;
  let other: GatewayHarness;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-replicas-'));
    opened.defer(() => rm(folder, { recursive: true }));
    one = opened.use(await GatewayHarness.start({ DATABASE_URL: `sqlite:${folder}` }));
    other = opened.use(await GatewayHarness.start({ DATABASE_URL: `sqlite:${folder}` }));
  });
  afterAll(() => opened.disposeAsync());

  const statusOf = async (gateway: GatewayHarness, apiKey: string) => {
    const { status, body } = await gateway.call('GET', '/account', { headers: { authorization: `Bearer ${apiKey}` } });
    return status === 200 ? 'ok' : body.code;
  };

  /** As parlance-admin does it, beside the servers. */
  async function asOperator(work: (accounts: Accounts) => Promise<unknown>): Promise<void> {
    const dependencies = { clock: systemClock, ids: ulidGenerator(), log: silentLogger() };
    const documents = await openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, { ...dependencies, source: 'gateway' });
    try {
      const keys = new ApiKeys(documents, systemClock, dependencies.ids, () => new Uint8Array());
      await work(new Accounts(documents, keys, defaultPlans(), systemClock, dependencies.ids));
    } finally {
      await documents.close();
    }
  }

  /** Whose end never comes. */
  async function beginUpload(apiKey: string): Promise<{ answer: Promise<Response> }> {
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'multipart/form-data; boundary=B' };
    const answer = one.fetch('/api/v1/transcriptions', { method: 'POST', headers, body: body.readable, duplex: 'half' });
    await body.writable.getWriter().write(Buffer.from('--B\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF'));
    return { answer };
  }

  it('end on both, whichever was told: revoked, rotated, or their account disabled by the operator', async () => {
    const made = async () => (await one.call<{ key_id: string; api_key: string }>('POST', '/keys', { json: { name: 'worker' } })).body;
    const revoked = await made();
    const rotated = await made();
    const disabled = await one.createAccount();
    const keys = [revoked.api_key, rotated.api_key, disabled.apiKey];
    const seen = async (gateway: GatewayHarness) => Promise.all(keys.map((apiKey) => statusOf(gateway, apiKey)));
    expect([await seen(one), await seen(other)]).toEqual([['ok', 'ok', 'ok'], ['ok', 'ok', 'ok']]);

    const events = await one.fetch(`/api/v1/transcriptions/${await one.submit()}/events`, { headers: { authorization: `Bearer ${revoked.api_key}` } });
    expect(events.status).toBe(200);
    const { answer } = await beginUpload(disabled.apiKey);

    expect((await one.call('DELETE', `/keys/${revoked.key_id}`)).status).toBe(204);
    expect((await other.call('POST', `/keys/${rotated.key_id}/rotate`, { headers: { authorization: `Bearer ${one.apiKey}` } })).status).toBe(201);
    await asOperator((accounts) => accounts.disable(disabled.accountId, 'did not pay'));
    expect([await statusOf(one, revoked.api_key), await statusOf(other, rotated.api_key)]).toEqual(['unauthenticated', 'unauthenticated']);
    for (const gateway of [one, other]) {
      await eventually('the end of each key', async () => (await seen(gateway)).join() === 'unauthenticated,unauthenticated,account_disabled');
    }

    // The job runs on: it is the key's end that ends them.
    expect(await events.text()).not.toContain('event: done');
    expect(await (await answer).json()).toMatchObject({ status: 403, code: 'account_disabled' });

    await asOperator((accounts) => accounts.enable(disabled.accountId));
    await eventually('the account to be let in again', async () => (await statusOf(one, disabled.apiKey)) === 'ok');
  });
});
