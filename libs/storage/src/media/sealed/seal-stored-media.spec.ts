import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryDataKeys } from '../../../test/memory-data-keys.js';
import { FileMediaStore } from '../file/file-media-store.js';
import type { MediaStore } from '../media-store.js';
import { readObject } from '../read-object.js';
import { SealedMediaStore } from './sealed-media-store.js';

const BYTES = randomBytes(700_000);

async function* body(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

describe('media that was stored in clear', () => {
  let folder: string;
  let clear: MediaStore;
  let keys: MemoryDataKeys;
  let sealed: SealedMediaStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-seal-stored-'));
    clear = await FileMediaStore.open(folder);
    keys = new MemoryDataKeys();
    sealed = new SealedMediaStore(clear, keys);
    for (const key of ['acc/job/source', 'acc/job/audio/000001.pcm', 'acc/gone/source']) await clear.put(key, body(BYTES));
    await keys.of('acc', 'gone');
    await keys.destroy('acc', 'gone');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const files = async () => (await readdir(join(folder, 'objects'), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + '/objects/'.length)).toSorted();
  const migrate = async (options = {}) => {
    const seen: [string, boolean][] = [];
    for await (const { key, isSealed } of sealed.sealStored(options)) seen.push([key, isSealed]);
    return seen;
  };

  it('is sealed object by object, and stays in clear where its key was destroyed', async () => {
    const before = await files();
    expect(await migrate({ dryRun: true })).toEqual([['acc/gone/source', true], ['acc/job/audio/000001.pcm', true], ['acc/job/source', true]]);
    expect(await files()).toEqual(before);
    expect(await migrate()).toEqual([['acc/gone/source', false], ['acc/job/audio/000001.pcm', true], ['acc/job/source', true]]);
    expect(await files()).toEqual(['acc/gone/source', 'acc/job/audio/000001.pcm-', 'acc/job/source-']);
    expect(BYTES.equals(await readObject(sealed, 'acc/job/source'))).toBe(true);
    expect(await migrate()).toEqual([['acc/gone/source', false]]);
  });

  it('is removed when a run before was killed once it was sealed', async () => {
    await sealed.put('acc/job/source', body(BYTES));
    await clear.put('acc/job/source', body(BYTES));
    expect(await files()).toEqual(expect.arrayContaining(['acc/job/source', 'acc/job/source-']));
    await migrate();
    expect(await files()).not.toContain('acc/job/source');
    expect(BYTES.equals(await readObject(sealed, 'acc/job/source'))).toBe(true);
  });
});
