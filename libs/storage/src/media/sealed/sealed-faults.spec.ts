import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryDataKeys } from '../../../test/memory-data-keys.js';
import { body, MediaFixture } from '../../contract/media/media-fixture.js';
import { FileMediaStore } from '../file/file-media-store.js';
import { BLOCK_BYTES, CLEAR_BLOCK_BYTES } from './sealed-layout.js';
import { SealedMediaStore } from './sealed-media-store.js';
import { SEGMENT_BYTES } from './tink-segments.js';

const CANARY = 'canary-7f3a91';
const KEY = 'acc/job/source';
const BROKEN = { code: 'media_seal_broken', kind: 'internal' };

describe('sealed media', () => {
  let folder: string;
  let keys: MemoryDataKeys;
  let clearStore: FileMediaStore;
  let fixture: MediaFixture;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-sealed-'));
    keys = new MemoryDataKeys();
    clearStore = await FileMediaStore.open(folder);
    const store = new SealedMediaStore(clearStore, keys);
    fixture = new MediaFixture(async () => ({ store, connect: async () => store, countUnfinished: async () => 0, dispose: () => rm(folder, { recursive: true }) }));
    await fixture.setUp();
  });
  afterEach(() => fixture.tearDown());

  const pathOf = (key: string) => join(folder, 'objects', `${key}-`);
  const change = async (key: string, work: (sealed: Buffer) => Buffer) => writeFile(pathOf(key), work(await readFile(pathOf(key))));
  const put = async (key: string, bytes: Uint8Array) => void (await fixture.store.put(key, body(bytes)));
  const append = async (pieces: Uint8Array[]) => {
    let partial = await fixture.store.begin(KEY);
    for (const piece of pieces) partial = await fixture.store.append(partial, body(piece), { maxBytes: 10_000_000, onStored: async () => {} });
    return partial;
  };

  it('has no clear byte on the disk, whichever way it came', async () => {
    const clear = Buffer.from(CANARY.repeat(40_000));
    await put('acc/put/source', clear);
    await fixture.store.copy('acc/put/source', 'acc/copy/source');
    const partial = await append([clear, Buffer.from(CANARY)]);
    const during = await everyFile(folder);
    await fixture.store.finish(partial);
    const files = [...during, ...(await everyFile(folder))];
    expect(files.length).toBeGreaterThan(6);
    expect(files.filter((bytes) => bytes.includes(CANARY))).toEqual([]);
    expect(await fixture.text(KEY)).toBe(CANARY.repeat(40_001));
    expect(await fixture.text('acc/copy/source')).toBe(CANARY.repeat(40_000));
  });

  it('is refused when a segment was changed, and readable before and behind it', async () => {
    const clear = randomBytes(3 * CLEAR_BLOCK_BYTES);
    await put(KEY, clear);
    await change(KEY, (sealed) => flipped(sealed, BLOCK_BYTES + SEGMENT_BYTES + 100));
    await expect(fixture.bytes(KEY)).rejects.toMatchObject(BROKEN);
    expect((await fixture.bytes(KEY, { end: CLEAR_BLOCK_BYTES + 1000 })).equals(clear.subarray(0, CLEAR_BLOCK_BYTES + 1000))).toBe(true);
    expect((await fixture.bytes(KEY, { start: 2 * CLEAR_BLOCK_BYTES })).equals(clear.subarray(2 * CLEAR_BLOCK_BYTES))).toBe(true);
  });

  it.each(['put', 'appended'])('is refused when blocks or segments of an object that was %s change places', async (way) => {
    const clear = randomBytes(3 * CLEAR_BLOCK_BYTES);
    if (way === 'put') await put(KEY, clear);
    else await fixture.store.finish(await append([clear.subarray(0, 300_000), clear.subarray(300_000)]));
    const good = await readFile(pathOf(KEY));
    expect((await fixture.bytes(KEY)).equals(clear)).toBe(true);
    for (const unit of [BLOCK_BYTES, SEGMENT_BYTES]) {
      const [before, one, other] = [good.subarray(0, unit), good.subarray(unit, 2 * unit), good.subarray(2 * unit, 3 * unit)];
      await change(KEY, () => Buffer.concat([before, other, one, good.subarray(3 * unit)]));
      await expect(fixture.bytes(KEY)).rejects.toMatchObject(BROKEN);
    }
  });

  it('is refused when it was cut off, wherever', async () => {
    const clear = randomBytes(2 * CLEAR_BLOCK_BYTES + 100_000);
    for (const end of [2 * BLOCK_BYTES, 2 * BLOCK_BYTES + SEGMENT_BYTES, BLOCK_BYTES, BLOCK_BYTES - 1, SEGMENT_BYTES, 70, 56, 0]) {
      await put(KEY, clear);
      await truncate(pathOf(KEY), end);
      await expect(fixture.bytes(KEY)).rejects.toMatchObject(BROKEN);
    }
  });

  it('is refused under another key, and with a block of an older object under the same key', async () => {
    await put(KEY, randomBytes(2 * CLEAR_BLOCK_BYTES));
    const older = await readFile(pathOf(KEY));
    await put(KEY, randomBytes(2 * CLEAR_BLOCK_BYTES));
    await change(KEY, (newer) => Buffer.concat([older.subarray(0, BLOCK_BYTES), newer.subarray(BLOCK_BYTES)]));
    await expect(fixture.bytes(KEY)).rejects.toMatchObject(BROKEN);
    for (const other of ['acc/job/plan.json', 'acc/other/source']) {
      await put(KEY, randomBytes(10));
      await put(other, randomBytes(10));
      await rename(pathOf(KEY), pathOf(other));
      await expect(fixture.bytes(other)).rejects.toMatchObject(BROKEN);
    }
  });

  it('is refused when a copy was moved with its key', async () => {
    await put('acc/upload/source', randomBytes(10));
    await fixture.store.copy('acc/upload/source', KEY);
    const objects = join(folder, 'objects', 'acc');
    const [sidecar = ''] = (await readdir(join(objects, 'job'))).filter((name) => name.endsWith('--'));
    await put('acc/other/source', randomBytes(10));
    await rename(join(objects, 'job', sidecar), join(objects, 'other', sidecar));
    await rename(pathOf(KEY), pathOf('acc/other/source'));
    await expect(fixture.bytes('acc/other/source')).rejects.toMatchObject(BROKEN);
  });

  it('cannot be read once its key is destroyed, and its copies can', async () => {
    await put('acc/upload/source', Buffer.from('hello'));
    await fixture.store.copy('acc/upload/source', 'acc/job/source');
    await fixture.store.copy('acc/job/source', 'acc/job2/source');
    await keys.destroy('acc', 'upload');
    await keys.destroy('acc', 'job');
    for (const key of ['acc/upload/source', 'acc/job/source']) await expect(fixture.store.get(key)).rejects.toMatchObject({ code: 'key_destroyed' });
    await expect(fixture.store.put('acc/job/new', body('x'))).rejects.toMatchObject({ code: 'key_destroyed' });
    await expect(fixture.store.copy('acc/job/source', 'acc/job3/source')).rejects.toMatchObject({ code: 'key_destroyed' });
    expect(await fixture.text('acc/job2/source')).toBe('hello');
  });

  it('waits for its key when the database of keys does not have it', async () => {
    await put(KEY, Buffer.from('hello'));
    await expect(new SealedMediaStore(clearStore, new MemoryDataKeys()).get(KEY)).rejects.toMatchObject({ code: 'keys_unavailable' });
  });

  it('reads any part of an object of several blocks, as it does of a copy', async () => {
    const clear = randomBytes(2 * CLEAR_BLOCK_BYTES + 5);
    await fixture.store.finish(await append([clear.subarray(0, 1), clear.subarray(1, 262_041), clear.subarray(262_041)]));
    await fixture.store.copy(KEY, 'acc/copy/source');
    const edges = [0, 1, 65_479, 65_480, 65_481, CLEAR_BLOCK_BYTES - 1, CLEAR_BLOCK_BYTES, CLEAR_BLOCK_BYTES + 1, clear.byteLength - 1, clear.byteLength];
    for (const key of [KEY, 'acc/copy/source'])
      for (const start of edges)
        for (const end of edges.filter((edge) => edge >= start)) expect((await fixture.bytes(key, { start, end })).equals(clear.subarray(start, end))).toBe(true);
  });

  it('leaves what was stored in clear readable, until a sealed object takes its place', async () => {
    await clearStore.put(KEY, body('clear'));
    await clearStore.put('acc/job/z', body('last'));
    expect(await fixture.text(KEY, { start: 1 })).toBe('lear');
    await fixture.store.copy(KEY, 'acc/job2/source');
    expect(await fixture.text('acc/job2/source')).toBe('clear');
    await fixture.putText(KEY, 'sealed');
    expect(await fixture.text(KEY)).toBe('sealed');
    expect(await fixture.keys()).toEqual(['acc/job/source', 'acc/job/z', 'acc/job2/source']);
    expect(await fixture.store.remove(KEY)).toBe(true);
    expect(await fixture.store.head(KEY)).toBeUndefined();
    expect(await fixture.store.removePrefix('acc/job/')).toBe(1);
  });

  it('continues an object that was begun in clear, in clear', async () => {
    const begun = await clearStore.append(await clearStore.begin(KEY), body('first '), { maxBytes: 100 });
    await fixture.store.finish(await fixture.store.append(begun, body('second'), { maxBytes: 100 }));
    expect(await fixture.text(KEY)).toBe('first second');
  });

  it('uses no salt twice, also when bytes are appended again at the same place', async () => {
    const [one, other] = [Buffer.alloc(CLEAR_BLOCK_BYTES + 10, 'a'), Buffer.alloc(CLEAR_BLOCK_BYTES + 10, 'b')];
    const partial = await fixture.store.begin(KEY);
    const salts: string[] = [];
    for (const bytes of [one, other, one]) {
      const next = await fixture.store.append(partial, body(bytes), { maxBytes: 10_000_000 });
      for (const file of await everyFile(folder)) salts.push(file.subarray(1, 40).toString('hex'));
      expect(next.sizeBytes).toBe(bytes.byteLength);
    }
    // The block, and the tails so far: 2, 3 and 4 files.
    expect(salts).toHaveLength(9);
    expect(new Set(salts).size).toBe(6);
  });
});

const flipped = (bytes: Buffer, at: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
};

async function everyFile(folder: string): Promise<Buffer[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name))));
}
