import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { body, bodyBefore } from '../../contract/media/media-fixture.js';
import { openMediaStore } from '../open-media-store.js';
import { FileMediaStore } from './file-media-store.js';
import { THIS_PROCESS, uploadName } from './upload-owner.js';

describe('the folder of FileMediaStore', () => {
  let folder: string;
  let store: FileMediaStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-media-'));
    store = await FileMediaStore.open(join(folder, 'store'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const modeOf = async (...path: string[]) => (await stat(join(folder, 'store', ...path))).mode & 0o777;

  it('is its owner’s alone, all the way down', async () => {
    const looking = async function* () {
      yield* body('x');
      for (const name of await readdir(join(folder, 'store', 'uploads'))) expect(await modeOf('uploads', name)).toBe(0o600);
    };
    await store.put('acc/job/source', looking());
    for (const path of ['.', 'objects', 'uploads', 'objects/acc', 'objects/acc/job']) expect(await modeOf(path)).toBe(0o700);
    expect(await modeOf('objects/acc/job/source')).toBe(0o600);
  });

  it('loses the uploads of processes that are gone when it is opened, and no others', async () => {
    const uploads = join(folder, 'store', 'uploads');
    await writeFile(join(uploads, uploadName({ ...THIS_PROCESS, run: 'killed' }, 'acc/job')), 'half');
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const slow = async function* () {
      yield* body('some');
      begun.resolve();
      yield* bodyBefore(gate.promise, 'more');
    };
    const putting = store.put('acc/job/source', slow());
    await begun.promise;
    await FileMediaStore.open(join(folder, 'store'));
    expect(await readdir(uploads)).toHaveLength(1);
    gate.resolve();
    expect(await putting).toMatchObject({ sizeBytes: 8 });
  });

  it('opens while the uploads of others come and go', async () => {
    const opened = new AbortController();
    const upload = async (key: string) => {
      while (!opened.signal.aborted) await store.put(key, body('x'));
    };
    const uploading = Array.from({ length: 8 }, (_, index) => upload(`acc/${index}/source`));
    for (let opening = 0; opening < 100; opening += 1) await FileMediaStore.open(join(folder, 'store'));
    opened.abort();
    await Promise.all(uploading);
    expect(await left('uploads')).toEqual([]);
  });

  const left = (name: string) => readdir(join(folder, 'store', name), { recursive: true });

  it('keeps no empty folder: not of uploads that ended or failed, not of objects that were removed', async () => {
    await store.put('acc/job/source', body('x'));
    await store.put('acc/job/chunk', body('x'));
    await store.put('acc/other/source', body('x'));
    await expect(store.put('acc/large/source', body('xyz'), { maxBytes: 1 })).rejects.toMatchObject({ kind: 'too_large' });
    expect(await left('uploads')).toEqual([]);
    await store.remove('acc/job/source');
    expect((await left('objects')).toSorted()).toEqual(['acc', 'acc/job', 'acc/job/chunk', 'acc/other', 'acc/other/source']);
    await store.remove('acc/job/chunk');
    await store.removePrefix('acc/other/');
    expect(await left('objects')).toEqual([]);
  });

  it('loses when it is opened the folders of uploads that an earlier version has left', async () => {
    await mkdir(join(folder, 'store', 'uploads', 'acc', 'job'), { recursive: true });
    await writeFile(join(folder, 'store', 'uploads', 'acc', 'job', uploadName({ ...THIS_PROCESS, run: 'killed' }, 'acc/job')), 'half');
    await FileMediaStore.open(join(folder, 'store'));
    expect(await left('uploads')).toEqual([]);
  });

  it('takes every upload, however many others end beside it at the time', async () => {
    const rounds = Array.from({ length: 300 }, async (_, index) => {
      const key = `acc/job_${index % 3}/part_${index}`;
      await store.put(key, body('x'));
      expect(await store.remove(key)).toBe(true);
    });
    await Promise.all(rounds);
    expect([await left('uploads'), await left('objects')]).toEqual([[], []]);
  });

  it('names a full disk', async () => {
    const onFullDisk = async function* () {
      yield* body('some');
      await writeFile('/dev/full', 'more');
    };
    await expect(store.put('acc/job/source', onFullDisk())).rejects.toMatchObject({ kind: 'unavailable', code: 'storage_full' });
  });

  it('is not left through a link in place of a folder', async () => {
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside', 'secret'), 'x');
    await symlink(join(folder, 'outside'), join(folder, 'store', 'objects', 'acc'));
    await store.removePrefix('acc/');
    expect(await readdir(join(folder, 'outside'))).toEqual(['secret']);
  });

  it('makes the store unusable when it is gone', async () => {
    await rm(join(folder, 'store'), { recursive: true });
    await expect(store.check()).rejects.toThrow();
  });
});

describe('openMediaStore', () => {
  it.each(['ftp://bucket', 'file:', '/var/media'])('says what it takes when it is given %s', async (url) => {
    await expect(openMediaStore(url)).rejects.toThrow(/MEDIA_URL.*file:<folder>/s);
  });
});
