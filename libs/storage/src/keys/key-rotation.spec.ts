import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { chanceFor } from '@parlance/platform/contract';
import type { Document } from '../documents/document-collection.js';
import { SqliteDocumentDatabase } from '../documents/sqlite/sqlite-document-database.js';
import type { DataKey } from './data-keys.js';
import { DocumentKeyRecords } from './key-records.js';
import { KeyRotation, ROTATION_SETTLE_MS } from './key-rotation.js';
import { openVerifiedProvider } from './master-key-check.js';
import { openKeyProvider } from './provider/open-key-provider.js';
import type { KeyProvider } from './provider/key-provider.js';
import { WrappedDataKeys } from './wrapped-data-keys.js';

const program = fileURLToPath(new URL('../../test/rotation-process.mjs', import.meta.url));
const KILLS = 4;
const { random } = chanceFor('key-rotation');

describe('a rotation of keys', () => {
  let folder: string;
  let documents: SqliteDocumentDatabase;
  let records: DocumentKeyRecords;
  let provider: KeyProvider;
  let nowMs: number;
  const clock = { ...systemClock, now: () => new Date(nowMs) };
  const keyFile = () => join(folder, 'master-keys');

  beforeEach(async () => {
    nowMs = Date.now();
    folder = await mkdtemp(join(tmpdir(), 'parlance-rotation-'));
    documents = await SqliteDocumentDatabase.open(join(folder, 'keys.db'), { clock: systemClock, ids: ulidGenerator(), source: 'keys' });
    records = new DocumentKeyRecords(documents, clock);
    provider = await openVerifiedProvider({ setting: `local:${keyFile()}`, records, create: true });
  });
  afterEach(async () => {
    await documents.close();
    await rm(folder, { recursive: true });
  });

  const server = () => new WrappedDataKeys({ records, provider, clock });
  /** A process that reads the key file now. */
  const restarted = async () => new WrappedDataKeys({ records, provider: await openKeyProvider(`local:${keyFile()}`), clock });
  const rotation = async () => new KeyRotation({ documents, provider: await openKeyProvider(`local:${keyFile()}`), clock });
  const make = async (keys: WrappedDataKeys, count: number, account = 'acc_1') => {
    const made = new Map<string, DataKey>();
    for (let number = 0; number < count; number += 1) made.set(`job_${number}`, await keys.of(account, `job_${number}`));
    return made;
  };
  const expectReadable = async (keys: WrappedDataKeys, made: ReadonlyMap<string, DataKey>, account = 'acc_1') => {
    for (const [holder, key] of made) expect(await keys.find(account, holder)).toEqual(key);
  };

  it('rewraps every key, and leaves the data keys as they are', async () => {
    const made = await make(server(), 20);
    const other = await make(server(), 2, 'acc_2');
    const before = await records.find(['check', 'acc_1', 'acc_1/job_3']);
    nowMs += 1;
    expect(await (await rotation()).run()).toEqual({ accountKeys: 3, dataKeys: 22, isComplete: false });
    expect(await (await rotation()).status()).toMatchObject({ accountKeys: 2, dataKeys: 22, onOldMasterKey: 0, withPreviousKey: 2 });
    for (const [id, record] of await records.find([...before.keys()])) expect(record).not.toEqual(before.get(id));
    expect((await records.find(['acc_1'])).get('acc_1')).toMatchObject({ wrapped: expect.stringMatching(/^local:2:/), previous: expect.stringMatching(/^local:2:/) });
    await expectReadable(await restarted(), made);
    await expectReadable(await restarted(), other, 'acc_2');
  });

  it('is not noticed by processes that run, and the keys that they make meanwhile are read by others', async () => {
    const running = server();
    const made = await make(running, 5);
    nowMs += 1;
    await (await rotation()).run();
    await expectReadable(running, made);
    // It has the account's previous key in memory.
    made.set('job_new', await running.of('acc_1', 'job_new'));
    made.set('job_other', await (await restarted()).of('acc_1', 'job_other'));
    await expectReadable(running, made);
    await expectReadable(await restarted(), made);
    await running.of('acc_new', 'job_1');
    expect((await records.find(['acc_new'])).get('acc_new')).toMatchObject({ wrapped: expect.stringMatching(/^local:2:/) });
  });

  it('removes the previous keys of accounts once no process can use them', async () => {
    const running = server();
    const made = await make(running, 5);
    nowMs += 1;
    await (await rotation()).run();
    made.set('job_late', await running.of('acc_1', 'job_late'));
    nowMs += ROTATION_SETTLE_MS - 1;
    expect(await (await rotation()).run()).toEqual({ accountKeys: 0, dataKeys: 1, isComplete: false });
    nowMs += 1;
    expect(await (await rotation()).run()).toEqual({ accountKeys: 0, dataKeys: 0, isComplete: true });
    expect(await (await rotation()).status()).toEqual({ masterKey: `local:${keyFile()}`, accountKeys: 1, dataKeys: 6, onOldMasterKey: 0, withPreviousKey: 0, startedAt: undefined, finishableAt: undefined });
    await expectReadable(await restarted(), made);
    await expectReadable(running, made);
  });

  it('brings no destroyed key back', async () => {
    const keys = server();
    await make(keys, 3);
    nowMs += 1;
    await Promise.all([(await rotation()).run(), keys.destroy('acc_1', 'job_1')]);
    await expect((await restarted()).find('acc_1', 'job_1')).rejects.toMatchObject({ code: 'key_destroyed' });
    await (await rotation()).run();
    await expect((await restarted()).find('acc_1', 'job_1')).rejects.toMatchObject({ code: 'key_destroyed' });
  });

  it('keeps the master key when asked, and then changes the keys of accounts alone', async () => {
    const made = await make(server(), 2);
    const file = await readFile(keyFile(), 'utf8');
    nowMs += 1;
    expect(await (await rotation()).run({ keepMasterKey: true })).toMatchObject({ accountKeys: 1, dataKeys: 2 });
    expect(await readFile(keyFile(), 'utf8')).toBe(file);
    await expectReadable(await restarted(), made);
  });

  it('is continued by a machine whose clock is behind: no key is lost', async () => {
    const running = server();
    const made = await make(running, 5);
    const beganAt = nowMs + ROTATION_SETTLE_MS + 60_000;
    await documents.collection<Document & { hasMasterKey: boolean }>({ name: 'rotations', indexes: [] }).insertIfAbsent({ id: 'rotation', createdAt: new Date(beganAt).toISOString(), hasMasterKey: false });
    nowMs += 1;
    await (await rotation()).run();
    // By the account's previous key, which it has in memory.
    made.set('job_late', await running.of('acc_1', 'job_late'));
    nowMs = beganAt + 1;
    expect(await (await rotation()).run()).toEqual({ accountKeys: 0, dataKeys: 1, isComplete: false });
    await expectReadable(await restarted(), made);
    nowMs += ROTATION_SETTLE_MS;
    expect(await (await rotation()).run()).toMatchObject({ isComplete: true });
    await expectReadable(await restarted(), made);
  });

  it('is continued after kills at any moment: no key is lost', async () => {
    const made = await make(server(), 300);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = spawn(process.execPath, [program, join(folder, 'keys.db'), keyFile()], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
      try {
        await once(child.stdout, 'data');
        await new Promise((resolve) => setTimeout(resolve, random() * 300));
      } finally {
        child.kill('SIGKILL');
        expect(await exited).toEqual([null, 'SIGKILL']);
      }
      // A kill while the key file was written leaves its lock.
      await rm(`${keyFile()}.lock`, { force: true });
      await expectReadable(await restarted(), made);
    }
    // Later than any time that the killed processes wrote.
    nowMs += 1000 * ROTATION_SETTLE_MS;
    // The first run completes the killed one, or is the first of another.
    if (!(await (await rotation()).run()).isComplete) {
      nowMs += ROTATION_SETTLE_MS;
      expect(await (await rotation()).run()).toMatchObject({ isComplete: true });
    }
    await expectReadable(await restarted(), made);
    expect(await (await rotation()).status()).toMatchObject({ accountKeys: 1, dataKeys: 300, onOldMasterKey: 0, withPreviousKey: 0 });
  });
});
