import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AppError, silentLogger, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type CollectionDefinition, type Document, type DocumentDatabase, type Query } from '@parlance/storage';
import { AccessTokens } from './access-tokens.js';
import { ApiKeys } from './api-keys.js';
import { Authenticator } from './authenticator.js';
import { KEY_LIMITS } from './key-room.js';
import { KeyUses } from './key-uses.js';
import type { Scope } from './scope.js';

const A_DAY_MS = 24 * 60 * 60 * 1000;

/** A database that does something before each reading of many documents, and after each of these. */
function withAll(documents: DocumentDatabase, before: () => Promise<void>, afterEach = (): void => {}): DocumentDatabase {
  const collection = <T extends Document>(definition: CollectionDefinition<T>) => {
    const inner = documents.collection(definition);
    const all = async function* (query: Query) {
      await before();
      for await (const item of inner.all(query)) {
        yield item;
        afterEach();
      }
    };
    return Object.assign(Object.create(inner) as typeof inner, { all });
  };
  return { collection } as Pick<DocumentDatabase, 'collection'> as DocumentDatabase;
}

describe('keys over time', () => {
  const opened = new AsyncDisposableStack();
  let now = new Date('2026-01-01T00:00:00.000Z');
  const clock = { now: () => now };
  let documents: DocumentDatabase;
  let keys: ApiKeys;
  let uses: KeyUses;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-keys-'));
    opened.defer(() => rm(folder, { recursive: true }));
    const ids = ulidGenerator();
    documents = await openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, { clock, ids, log: silentLogger(), source: 'gateway' });
    opened.defer(() => documents.close());
    keys = new ApiKeys(documents, clock, ids, (length) => randomBytes(length));
    uses = new KeyUses(documents, clock);
  });
  afterAll(() => opened.disposeAsync());

  const days = (count: number) => new Date(now.getTime() + count * A_DAY_MS).toISOString();

  it('work during the overlap when they are rotated, and end with it, also for a process that starts then', async () => {
    const { key: old, apiKey } = await keys.issue({ accountId: 'acc_2', name: 'worker', scopes: ['search'] });
    const start = () => new Authenticator(keys, { get: async (id) => ({ id, createdAt: '', plan: 'free' }) }, clock, { count: () => {} }, { get: async () => undefined }, { now: () => now.getTime() });
    const before = start();
    await before.authenticate({ apiKey }, '');
    const { key: next, apiKey: nextKey } = await keys.rotate('acc_2', old.id, 60);
    expect(next).toMatchObject({ name: 'worker', scopes: ['search'] });
    now = new Date(now.getTime() + 59_999);
    for (const process of [before, start()]) expect(await process.authenticate({ apiKey }, '')).toMatchObject({ keyId: old.id });
    now = new Date(now.getTime() + 1);
    for (const process of [before, start()]) {
      await expect(process.authenticate({ apiKey }, '')).rejects.toMatchObject({ code: 'unauthenticated' });
      expect(await process.authenticate({ apiKey: nextKey }, '')).toMatchObject({ keyId: next.id });
    }
    await expect(keys.rotate('acc_2', old.id, 60)).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it('end the connections of ephemeral keys when these are revoked, not when they expire, and those of other tokens by both', async () => {
    const { key } = await keys.issue({ accountId: 'acc_ephemeral', name: 'server', scopes: [] });
    const owner = { accountId: 'acc_ephemeral', keyId: key.id };
    const tokens = new AccessTokens(documents, clock, ulidGenerator(), (length) => randomBytes(length));
    const authenticator = new Authenticator(keys, { get: async (id) => ({ id, createdAt: '', plan: 'free' }) }, clock, { count: () => {} }, tokens);
    const [ephemeral, usual] = [await tokens.issue(owner, { scopes: [], expiresInSeconds: 60, use: 'realtime' }), await tokens.issue(owner, { scopes: [], expiresInSeconds: 60 })];
    const refusals = async () => [await authenticator.refusalOf(ephemeral.token.id), await authenticator.refusalOf(usual.token.id)].map((refusal) => refusal?.code);
    expect(await refusals()).toEqual([undefined, undefined]);
    now = new Date(now.getTime() + 60_000);
    expect(await refusals()).toEqual([undefined, 'unauthenticated']);
    await expect(authenticator.authenticate({ apiKey: ephemeral.secret, use: 'realtime' }, '')).rejects.toMatchObject({ code: 'unauthenticated' });
    await tokens.revoke(owner, ephemeral.token.id);
    expect(await refusals()).toEqual(['unauthenticated', 'unauthenticated']);
  });

  it('are rotated once more by who did not get the answer: the second new key lasts as long as the first', async () => {
    const [endless, ending] = [await keys.issue({ accountId: 'acc_3', name: '', scopes: [] }), await keys.issue({ accountId: 'acc_3', name: '', scopes: [], expiresAt: days(9) })];
    for (const { key } of [endless, ending]) {
      await keys.rotate('acc_3', key.id, 60);
      expect((await keys.rotate('acc_3', key.id, 3600)).key.expiresAt).toBe(key.expiresAt);
      expect((await keys.get(key.id))?.expiresAt).toBe(new Date(now.getTime() + 60_000).toISOString());
    }
  });

  it('leave no successor when a rotation fails: nobody saw it, and it would count as the key that stays', async () => {
    const { key } = await keys.issue({ accountId: 'acc_5', name: '', scopes: ['keys'] });
    const failing: Pick<DocumentDatabase, 'collection'> = {
      collection: <T extends Document>(definition: CollectionDefinition<T>) => {
        const collection = documents.collection(definition);
        return Object.assign(Object.create(collection) as typeof collection, { replaceIf: () => Promise.reject(new Error('away')) });
      },
    };
    const interrupted = new ApiKeys(failing as DocumentDatabase, clock, ulidGenerator(), (length) => randomBytes(length));
    await expect(interrupted.rotate('acc_5', key.id, 60)).rejects.toThrow('away');
    expect((await keys.list('acc_5', { limit: 10 })).items.map(({ document }) => document.id)).toEqual([key.id]);
    await expect(keys.revoke('acc_5', key.id)).rejects.toMatchObject({ code: 'last_key' });
  });

  it('do not count as keys that stay until their creation is within the limits, as they may be withdrawn', async () => {
    const { key } = await keys.issue({ accountId: 'acc_6', name: '', scopes: ['keys'] });
    const revocations: unknown[] = [];
    let reads = 0;
    const meanwhile = async () => {
      if (++reads !== 2) return;
      for (const name of ['one', 'two']) await keys.issue({ accountId: 'acc_6', name, scopes: [] });
      revocations.push(await keys.revoke('acc_6', key.id).catch((error: AppError) => error.code));
    };
    const creating = new ApiKeys(withAll(documents, meanwhile), clock, ulidGenerator(), (length) => randomBytes(length), { ...KEY_LIMITS, perAccount: 2 });
    const caller = { keyId: key.id, scopes: new Set<Scope>(['keys']) };
    await expect(creating.issueFor(caller, { accountId: 'acc_6', name: '', scopes: ['keys'] })).rejects.toMatchObject({ code: 'invalid_state' });
    expect(revocations).toEqual(['last_key']);
  });

  it('of an account are read in slices between which the event loop takes its turn', async () => {
    const { key } = await keys.issue({ accountId: 'acc_7', name: '', scopes: ['keys'] });
    for (let count = 0; count < 40; count++) await keys.issue({ accountId: 'acc_7', name: '', scopes: ['keys'] });
    let inTurn = 0;
    let most = 0;
    const slow = withAll(documents, async () => {}, () => {
      if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
      most = Math.max(most, inTurn);
      for (const start = performance.now(); performance.now() - start < 1; );
    });
    const slowKeys = new ApiKeys(slow, clock, ulidGenerator(), (length) => randomBytes(length));
    await slowKeys.issueFor({ keyId: key.id, scopes: new Set<Scope>(['keys']) }, { accountId: 'acc_7', name: '', scopes: [] });
    await slowKeys.revoke('acc_7', key.id);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(40);
  });

  it('keep when they were used while the store is away', async () => {
    const { key } = await keys.issue({ accountId: 'acc_4', name: '', scopes: [] });
    let isAway = true;
    const flaky: Pick<DocumentDatabase, 'collection'> = {
      collection: <T extends Document>(definition: CollectionDefinition<T>) => {
        const collection = documents.collection(definition);
        const update: typeof collection.update = (...args) => (isAway ? Promise.reject(new Error('away')) : collection.update(...args));
        return Object.assign(Object.create(collection) as typeof collection, { update });
      },
    };
    const away = new KeyUses(flaky, clock);
    for (let index = 0; index < 100; index += 1) away.note(`key_other_${index}`);
    away.note(key.id);
    await expect(away.store()).rejects.toThrow('away');
    isAway = false;
    await away.store();
    expect(await uses.lastUse(key.id)).toBe(now.toISOString());
    expect(await uses.lastUse('key_other_0')).toBe(now.toISOString());
  });

  it('go a month after their end, with when they were used; one that the operator chose stays', async () => {
    const request = { accountId: 'acc_1', name: '', scopes: [] };
    const { key: ended } = await keys.issue({ ...request, expiresAt: days(1) });
    const { key: later } = await keys.issue({ ...request, expiresAt: days(5) });
    const { key: endless } = await keys.issue(request);
    await keys.adopt({ ...request, expiresAt: days(1) }, 'an-operators-own-key');
    for (const { id } of [ended, later, endless]) uses.note(id);
    const noted = now.toISOString();
    await uses.store();
    now = new Date(days(33));
    await uses.sweep(keys);
    expect((await keys.list('acc_1', { limit: 10 })).items.map(({ document }) => document.adopted ?? document.id).toSorted()).toEqual([endless.id, later.id, true].toSorted());
    expect([await uses.lastUse(ended.id), await uses.lastUse(later.id)]).toEqual([undefined, noted]);
  });
});
