import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { SqliteDocumentDatabase } from '../documents/sqlite/sqlite-document-database.js';
import { DocumentKeyRecords } from './key-records.js';
import { moveKeys } from './key-move.js';
import { KeyRotation } from './key-rotation.js';
import { openVerifiedProvider } from './master-key-check.js';
import { openKeyProvider } from './provider/open-key-provider.js';
import type { KeyProvider } from './provider/key-provider.js';
import { WrappedDataKeys } from './wrapped-data-keys.js';

describe('keys that move to another provider', () => {
  let folder: string;
  let documents: SqliteDocumentDatabase;
  let records: DocumentKeyRecords;
  let from: KeyProvider;
  let to: KeyProvider;
  const setting = (name: string) => `local:${join(folder, name)}`;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-key-move-'));
    documents = await SqliteDocumentDatabase.open(join(folder, 'keys.db'), { clock: systemClock, ids: ulidGenerator(), source: 'keys' });
    records = new DocumentKeyRecords(documents, systemClock);
    from = await openVerifiedProvider({ setting: setting('old'), records, create: true });
    to = await openKeyProvider(setting('new'), { create: true });
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  const keysBy = (provider: KeyProvider) => new WrappedDataKeys({ records, provider, clock: systemClock });
  const start = (name: string) => openVerifiedProvider({ setting: setting(name), records, create: false });

  it('are unwrapped by the new one alone, also where a rotation is under way', async () => {
    const made = await Promise.all(['acc_1', 'acc_2'].map((account) => keysBy(from).of(account, 'job')));
    await new KeyRotation({ documents, provider: from, clock: systemClock }).run();
    expect(await moveKeys({ documents, from, to })).toBe(3);
    expect(await Promise.all(['acc_1', 'acc_2'].map((account) => keysBy(to).find(account, 'job')))).toEqual(made);
    await expect(keysBy(from).find('acc_1', 'job')).rejects.toMatchObject({ code: 'keys_unavailable' });
    await start('new');
    await expect(start('old')).rejects.toThrow(/does not have the master key of this data/);
    expect(await moveKeys({ documents, from, to })).toBe(0);
  });

  it('are moved on by another run when the first one ended early, and no service starts before', async () => {
    const made = await Promise.all(['acc_1', 'acc_2'].map((account) => keysBy(from).of(account, 'job')));
    let wraps = 0;
    const ending: KeyProvider = { wrap: (key, context) => (wraps++ === 0 ? to.wrap(key, context) : Promise.reject(new Error('killed'))), unwrap: (wrapped, context) => to.unwrap(wrapped, context), isNewest: async () => true, rotate: async () => {}, describe: () => 'ending' };
    await expect(moveKeys({ documents, from, to: ending })).rejects.toThrow('killed');
    await expect(start('new')).rejects.toThrow(/does not have the master key of this data/);
    expect(await moveKeys({ documents, from, to })).toBe(2);
    expect(await Promise.all(['acc_1', 'acc_2'].map((account) => keysBy(to).find(account, 'job')))).toEqual(made);
  });

  it('stay as they are when neither provider has their master key', async () => {
    await keysBy(from).of('acc_1', 'job');
    const before = await records.find(['acc_1', 'check']);
    const other = await openKeyProvider(setting('other'), { create: true });
    await expect(moveKeys({ documents, from: other, to })).rejects.toMatchObject({ code: 'keys_unavailable' });
    expect(await records.find(['acc_1', 'check'])).toEqual(before);
  });
});
