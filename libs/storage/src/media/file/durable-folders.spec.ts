import type { Stats } from 'node:fs';
import { mkdir, mkdtemp, open, rm, rmdir, stat, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DurableFolders } from './durable-folders.js';

describe('the folders of objects', () => {
  let root: string;
  let account: string;
  let folder: string;
  let handles: FileHandle;
  /** Inodes of the folders that were synced. */
  let synced: number[];

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'parlance-folders-'));
    account = join(root, 'account');
    folder = join(account, 'job');
    await mkdir(folder, { recursive: true });
    handles = await prototypeOfHandles(root);
    synced = [];
    const { sync } = handles;
    jest.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
      synced.push((await this.stat()).ino);
      return sync.call(this);
    });
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(root, { recursive: true, force: true });
  });

  /** Syncs the folder. @returns the names of the folders that were synced with it */
  async function syncWith(folders: DurableFolders, path: string): Promise<string[]> {
    synced = [];
    await folders.sync(path);
    const names = new Map(await Promise.all(Object.entries({ root, account, folder }).map(async ([name, each]) => [(await stat(each)).ino, name] as const)));
    return synced.map((inode) => names.get(inode) ?? 'other').toSorted();
  }

  it('are synced with those above them once, and alone from then on', async () => {
    const folders = new DurableFolders(root);
    expect(await syncWith(folders, folder)).toEqual(['account', 'folder', 'root']);
    expect(await syncWith(folders, folder)).toEqual(['folder']);
    expect(await syncWith(folders, root)).toEqual(['root']);
  });

  it('are synced with those above them again when they were removed and made again', async () => {
    const folders = new DurableFolders(root);
    await folders.sync(folder);
    await rmdir(folder);
    await rmdir(account);
    await mkdir(folder, { recursive: true });
    expect(await syncWith(folders, folder)).toEqual(['account', 'folder', 'root']);
  });

  it('are synced with those above them each time where the file system has no times of creation', async () => {
    const { stat: statOf } = handles;
    jest.spyOn(handles, 'stat').mockImplementation(async function (this: FileHandle) {
      return Object.assign((await statOf.call(this)) as Stats, { birthtimeMs: 0 });
    });
    const folders = new DurableFolders(root);
    await folders.sync(folder);
    expect(await syncWith(folders, folder)).toEqual(['account', 'folder', 'root']);
  });

  it('fail when they are missing', async () => {
    const folders = new DurableFolders(root);
    await rmdir(folder);
    await expect(folders.sync(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

async function prototypeOfHandles(path: string): Promise<FileHandle> {
  const handle = await open(path);
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}
