import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { SqliteDocumentDatabase } from '../documents/sqlite/sqlite-document-database.js';
import { DocumentKeyRecords } from './key-records.js';
import { openVerifiedProvider } from './master-key-check.js';
import type { KeyProvider } from './provider/key-provider.js';
import { keysUnavailable } from './provider/keys-unavailable.js';
import { KEY_CACHE_MS, WrappedDataKeys } from './wrapped-data-keys.js';

describe('the keys of accounts and jobs', () => {
  let folder: string;
  let database: SqliteDocumentDatabase;
  let records: DocumentKeyRecords;
  let provider: KeyProvider;
  let nowMs: number;
  let isAway: boolean;
  let calls: number;

  const clock = { ...systemClock, now: () => new Date(nowMs) };
  const setting = () => `local:${join(folder, 'master-keys')}`;
  const open = (): Promise<KeyProvider> => openVerifiedProvider({ setting: setting(), records, create: true });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-data-keys-'));
    database = await SqliteDocumentDatabase.open(join(folder, 'keys.db'), { clock: systemClock, ids: ulidGenerator(), source: 'keys' });
    records = new DocumentKeyRecords(database, systemClock);
    const local = await open();
    [nowMs, isAway, calls] = [Date.UTC(2026, 0, 1), false, 0];
    const orAway = <R>(work: () => Promise<R>): Promise<R> => {
      calls += 1;
      return isAway ? Promise.reject(keysUnavailable('The key service is away.')) : work();
    };
    provider = { isNewest: (wrapped) => local.isNewest(wrapped), rotate: () => local.rotate(), wrap: (key, context) => orAway(() => local.wrap(key, context)), unwrap: (wrapped, context) => orAway(() => local.unwrap(wrapped, context)), describe: () => local.describe() };
  });
  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  const process = () => new WrappedDataKeys({ records, provider, clock });

  it('are the same in every process, also in those that make them at once', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => process().of('acc_1', 'job_1')));
    for (const key of made) expect(key).toEqual(made[0]);
    expect(made[0]?.key).toHaveLength(32);
    expect(await process().find('acc_1', 'job_1')).toEqual(made[0]);
  });

  it('differ between holders and accounts', async () => {
    const keys = process();
    const owners = [['acc_1', ''], ['acc_1', 'job_1'], ['acc_1', 'job_2'], ['acc_2', 'job_1']] as const;
    const made = await Promise.all(owners.map(([account, holder]) => keys.of(account, holder)));
    expect(new Set(made.map(({ key }) => key.toString('hex'))).size).toBe(owners.length);
  });

  it('are made once for callers at the same time, and with one call of the provider for their account', async () => {
    const keys = process();
    const add = jest.spyOn(records, 'add');
    const made = await Promise.all(Array.from({ length: 20 }, (_, nth) => keys.of('acc_1', `job_${nth % 10}`)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(10);
    // One key for the account, and one for each holder; the account's key was wrapped and unwrapped.
    expect([add.mock.calls.length, calls]).toEqual([11, 2]);
  });

  it('are found when there are some', async () => {
    expect(await process().find('acc_1', 'job_1')).toBeUndefined();
  });

  it('are gone for good once destroyed, in every process and for those that make them again', async () => {
    const keys = process();
    await keys.of('acc_1', 'job_1');
    await keys.of('acc_1', 'job_2');
    for (const _ of [1, 2]) await keys.destroy('acc_1', 'job_1');
    for (const each of [keys, process()]) {
      await expect(each.of('acc_1', 'job_1')).rejects.toMatchObject({ kind: 'not_found', code: 'key_destroyed' });
      await expect(each.find('acc_1', 'job_1')).rejects.toMatchObject({ code: 'key_destroyed' });
      expect(await each.find('acc_1', 'job_2')).toBeDefined();
    }
    expect(await records.add({ id: 'acc_1/job_1', keyId: 'x', wrapped: 'x' })).toBe('destroyed');
  });

  it('are all gone with the key of their account', async () => {
    const keys = process();
    await keys.of('acc_1', 'job_1');
    await keys.of('acc_2', 'job_2');
    await keys.destroy('acc_1', '');
    for (const holder of ['job_1', '', 'job_9']) await expect(keys.of('acc_1', holder)).rejects.toMatchObject({ code: 'key_destroyed' });
    expect(await process().find('acc_2', 'job_2')).toBeDefined();
  });

  it('ask the provider once for an account, however many are read at a time', async () => {
    const writer = process();
    const owners = Array.from({ length: 100 }, (_, number) => ({ accountId: 'acc_1', holder: `job_${number}` }));
    for (const { accountId, holder } of owners) await writer.of(accountId, holder);
    calls = 0;
    expect((await process().lookup(owners)).size).toBe(100);
    expect(calls).toBe(1);
  });

  it('are used for five minutes while the provider is away, then not', async () => {
    const keys = process();
    const made = await keys.of('acc_1', 'job_1');
    isAway = true;
    nowMs += KEY_CACHE_MS - 1;
    expect(await keys.of('acc_1', 'job_1')).toEqual(made);
    expect(await keys.of('acc_1', 'job_2')).toBeDefined();
    nowMs += 1;
    await expect(keys.of('acc_1', 'job_1')).rejects.toMatchObject({ kind: 'unavailable', code: 'keys_unavailable' });
    await expect(keys.of('acc_2', 'job_3')).rejects.toMatchObject({ code: 'keys_unavailable' });
    isAway = false;
    expect(await keys.of('acc_1', 'job_1')).toEqual(made);
  });

  it('leave the memory after five minutes, also those of an account that is not used again', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const keys = process();
      await keys.of('acc_1', 'job_1');
      jest.advanceTimersByTime(KEY_CACHE_MS - 1);
      expect(keys.cached({ accountId: 'acc_1', holder: 'job_1' })).toBeDefined();
      jest.advanceTimersByTime(1);
      expect(keys.cached({ accountId: 'acc_1', holder: 'job_1' })).toBeUndefined();
    } finally {
      jest.useRealTimers();
    }
  });

  it('are not kept in memory when they are destroyed while they are read', async () => {
    await process().of('acc_1', 'job_1');
    let wasRead = () => {};
    const read = new Promise<void>((resolve) => (wasRead = resolve));
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const find = async (ids: readonly string[]) => {
      const found = await records.find(ids);
      wasRead();
      await held;
      return found;
    };
    const keys = new WrappedDataKeys({ records: { find, add: (record) => records.add(record), destroy: (id) => records.destroy(id) }, provider, clock });
    const reading = keys.find('acc_1', 'job_1');
    await read;
    await keys.destroy('acc_1', 'job_1');
    release();
    await reading;
    expect(keys.cached({ accountId: 'acc_1', holder: 'job_1' })).toBeUndefined();
  });

  it('stop a start with a lost or another key file, which is not made anew', async () => {
    await process().of('acc_1', 'job_1');
    await rm(join(folder, 'master-keys'));
    await expect(open()).rejects.toThrow(/KEY_PROVIDER: the key file .* is missing/);
    await openVerifiedProvider({ setting: setting(), records: { find: async () => new Map(), add: async (record) => record, destroy: async () => {} }, create: true });
    await expect(open()).rejects.toThrow(/KEY_PROVIDER: local:.* does not have the master key of this data\..* Put the right key back/);
  });
});
