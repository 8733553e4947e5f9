import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MemoryDataKeys } from '../../../test/memory-data-keys.js';
import { body } from '../../contract/media/media-fixture.js';
import { describeMediaStoreContract } from '../../contract/index.js';
import { FileMediaStore } from '../file/file-media-store.js';
import { readObject } from '../read-object.js';
import { SealedMediaStore } from './sealed-media-store.js';

describeMediaStoreContract('SealedMediaStore, only of marked objects, on FileMediaStore', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-marked-'));
  const connect = async () => new SealedMediaStore(await FileMediaStore.open(folder), new MemoryDataKeys(), { onlyMarked: true });
  const unfinished = ['uploads', 'partials'].map((name) => join(folder, name));
  const count = async (path: string) => (await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])).filter((entry) => entry.isFile()).length;
  return {
    store: await connect(),
    connect,
    countUnfinished: async () => (await Promise.all(unfinished.map(count))).reduce((sum, each) => sum + each, 0),
    dispose: () => rm(folder, { recursive: true }),
  };
});

describe('a media store that seals only what is marked', () => {
  const MARKED = 'acc_1/job_1/sealed/audio/000000.pcm';
  const CLEAR = 'acc_1/job_1/source';
  let folder: string;
  let store: SealedMediaStore;
  let sealing: SealedMediaStore;
  let files: FileMediaStore;
  let keys: MemoryDataKeys;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-marked-'));
    keys = new MemoryDataKeys();
    files = await FileMediaStore.open(folder);
    store = new SealedMediaStore(files, keys, { onlyMarked: true });
    sealing = new SealedMediaStore(files, keys);
    await store.put(MARKED, body('what was said'));
    await store.put(CLEAR, body('what was said'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const filesWith = async (text: string): Promise<string[]> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const contents = await Promise.all(files.map(async (file) => ((await readFile(file)).includes(text) ? [file] : [])));
    return contents.flat();
  };

  it('seals what is below the folder `sealed` of a job, and nothing else', async () => {
    expect(await filesWith('what was said')).toEqual([expect.stringContaining(CLEAR)]);
    expect(Buffer.from(await readObject(store, MARKED)).toString()).toBe('what was said');
  });

  it('has both in lists with their clear sizes, and removes both', async () => {
    const listed: unknown[] = [];
    for await (const object of store.list('acc_1/job_1/')) listed.push(object);
    expect(listed).toEqual([{ key: MARKED, sizeBytes: 13 }, { key: CLEAR, sizeBytes: 13 }]);
    expect(await store.removePrefix('acc_1/job_1/')).toBe(2);
    expect(await store.head(MARKED)).toBeUndefined();
  });

  it('cannot read what it sealed once the key is destroyed', async () => {
    await keys.destroy('acc_1', 'job_1');
    await expect(readObject(store, MARKED)).rejects.toThrow(expect.objectContaining({ code: 'key_destroyed' }));
  });

  const textOf = async (from: SealedMediaStore, key: string) => Buffer.from(await readObject(from, key)).toString();

  it('reads, copies, lists and removes what was sealed while all was', async () => {
    const [from, to] = ['acc_1/upload_1/source', 'acc_1/job_2/source'];
    await sealing.put(from, body('what was said'));
    expect(await textOf(store, from)).toBe('what was said');
    expect(await store.head(from)).toEqual({ key: from, sizeBytes: 13 });
    await store.copy(from, to);
    expect(await textOf(store, to)).toBe('what was said');
    expect(await filesWith('what was said')).toEqual([expect.stringContaining(CLEAR)]);
    await store.remove(from);
    expect([await store.head(from), await sealing.head(to)]).toEqual([undefined, { key: to, sizeBytes: 13 }]);
  });

  it.each([[MARKED], [CLEAR]])('reads %s by what head has found, without asking the store below again', async (key) => {
    const asked = jest.spyOn(files, 'head');
    const found = await store.head(key);
    const before = asked.mock.calls.length;
    expect(before).toBe(key === MARKED ? 1 : 2);
    const pieces: Uint8Array[] = [];
    for await (const piece of await store.get(key, { start: 5, end: 8, ...(found && { found }) })) pieces.push(piece);
    expect([Buffer.concat(pieces).toString(), asked.mock.calls.length]).toEqual(['was', before]);
  });

  it('continues and finishes uploads of either kind, whichever it was begun as', async () => {
    for (const [index, [first, second]] of [[sealing, store], [store, sealing]].entries() as ArrayIterator<[number, [SealedMediaStore, SealedMediaStore]]>) {
      const key = `acc_1/upload_${index}/source`;
      const begun = await first.append(await first.begin(key), body('what was '), { maxBytes: 100 });
      expect(await second.finish(await second.append(begun, body('uploaded'), { maxBytes: 100 }))).toEqual({ key, sizeBytes: 17 });
      expect([await textOf(first, key), await textOf(second, key)]).toEqual(['what was uploaded', 'what was uploaded']);
    }
    expect(await filesWith('what was uploaded')).toEqual([expect.stringContaining('upload_1/source')]);
  });

  it.each([
    ['put', (key: string) => store.put(key, body('newer'))],
    ['a finished upload', async (key: string) => store.finish(await store.append(await store.begin(key), body('newer'), { maxBytes: 100 }))],
  ])('replaces what was sealed under a key by %s in clear, also for a store that seals all', async (_, replace) => {
    const key = 'acc_1/job_1/plan.json';
    await sealing.put(key, body('older'));
    await replace(key);
    expect([await textOf(store, key), await textOf(sealing, key)]).toEqual(['newer', 'newer']);
    await sealing.put(key, body('newest'));
    expect([await textOf(store, key), await textOf(sealing, key)]).toEqual(['newest', 'newest']);
    expect(await filesWith('newer')).toEqual([]);
  });

  it.each([
    ['a copy', async (key: string) => {
      await sealing.put('acc_1/upload_1/source', body('sealed'));
      await sealing.copy('acc_1/upload_1/source', key);
    }],
    ['a finished upload', async (key: string) => void (await sealing.finish(await sealing.append(await sealing.begin(key), body('sealed'), { maxBytes: 100 })))],
  ])('leaves nothing in clear of what was replaced by %s that is sealed', async (_, replace) => {
    await store.put('acc_1/job_1/peaks', body('stored in clear'));
    await replace('acc_1/job_1/peaks');
    expect(await textOf(store, 'acc_1/job_1/peaks')).toBe('sealed');
    expect(await filesWith('stored in clear')).toEqual([]);
  });

  it.each([
    ['sealed', () => sealing, () => store],
    ['in clear', () => store, () => sealing],
  ])('reads an object that was found %s and then replaced by one of the other form', async (_, first, second) => {
    const key = 'acc_1/job_1/plan.json';
    await first().put(key, body('older'));
    const found = await first().head(key);
    await second().put(key, body('newer'));
    const pieces: Uint8Array[] = [];
    for await (const piece of await first().get(key, { ...(found && { found }) })) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('newer');
  });
});
