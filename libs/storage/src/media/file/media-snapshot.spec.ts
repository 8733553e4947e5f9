import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { MediaStore } from '../media-store.js';
import { FileMediaStore } from './file-media-store.js';
import { MediaSnapshot } from './media-snapshot.js';

describe('a snapshot of media', () => {
  let folder: string;
  let store: MediaStore;
  const put = (key: string) => store.put(key, (async function* () { yield Buffer.from(key); })());
  const objectsOf = async (snapshot: MediaSnapshot) => {
    const found = new Map<string, string>();
    for await (const { key, path } of snapshot.objects()) found.set(key, await readFile(path, 'utf8'));
    return found;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-media-snapshot-'));
    store = await FileMediaStore.open(folder);
    for (const key of ['acc/job_1/source', 'acc/job_1/audio/0.pcm', 'acc/job_1/audio/1.pcm', 'acc/job_2/source']) await put(key);
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('has what is removed while it is open, under the keys it had', async () => {
    const snapshot = await MediaSnapshot.open(folder);
    expect(await store.removePrefix('acc/job_1/audio/')).toBe(2);
    expect(await store.remove('acc/job_2/source')).toBe(true);
    expect(await store.remove('acc/job_2/source')).toBe(false);
    expect(await store.head('acc/job_1/audio/0.pcm')).toBeUndefined();
    const found = await objectsOf(snapshot);
    expect([...found.keys()].toSorted()).toEqual(['acc/job_1/audio/0.pcm', 'acc/job_1/audio/1.pcm', 'acc/job_1/source', 'acc/job_2/source']);
    for (const [key, text] of found) expect(text).toBe(key);
    await snapshot.close();
    expect(await readdir(join(folder, 'held'))).toEqual([]);
  });

  it('holds nothing once it is closed, and is open once at a time', async () => {
    const snapshot = await MediaSnapshot.open(folder);
    await expect(MediaSnapshot.open(folder)).rejects.toMatchObject({ code: 'backup_running' });
    await snapshot.close();
    await store.removePrefix('acc/job_1/');
    const next = await MediaSnapshot.open(folder);
    expect([...(await objectsOf(next)).keys()]).toEqual(['acc/job_2/source']);
    await next.close();
  });

  const dayBefore = () => new Date(Date.now() - 86_400_000);
  /** @param silentForMs since its last heartbeat */
  async function holderOf(owner: string, silentForMs: number): Promise<string> {
    const held = join(folder, 'held', owner);
    await mkdir(held, { recursive: true });
    for (const name of ['heartbeat', 'acc~job_9~source~uuid']) await writeFile(join(held, name), 'left');
    const beat = new Date(Date.now() - silentForMs);
    await utimes(join(held, 'heartbeat'), beat, beat);
    return held;
  }

  it.each([
    ['that has died on this host', `${hostname()}~999999999~run~id`, 0],
    ['of another host that is silent for minutes', 'elsewhere~1~run~id', 6 * 60_000],
    ['whose process id another process has by now', `${hostname()}~${process.ppid}~run~id`, 6 * 60_000],
  ])('removes what it held for a holder %s, though others removed into its folder until now', async (_name, owner, silentForMs) => {
    await holderOf(owner, silentForMs);
    await store.remove('acc/job_2/source');
    expect(await store.head('acc/job_2/source')).toBeUndefined();
    expect(await readdir(join(folder, 'held'))).toEqual([]);
  });

  it('holds for a holder of another host as long as that one refreshes its heartbeat, and removing is not refreshing', async () => {
    const held = await holderOf('elsewhere~1~run~id', 60_000);
    const { mtimeMs } = await stat(join(held, 'heartbeat'));
    await store.remove('acc/job_2/source');
    expect((await readdir(held)).length).toBe(3);
    expect((await stat(join(held, 'heartbeat'))).mtimeMs).toBe(mtimeMs);
    await expect(MediaSnapshot.open(folder)).rejects.toMatchObject({ code: 'backup_running' });
  });

  it('leaves a holder that has only begun, which holds nothing yet', async () => {
    const held = join(folder, 'held', 'elsewhere~1~run~id');
    await mkdir(held, { recursive: true });
    await store.remove('acc/job_2/source');
    expect(await readdir(held)).toEqual([]);
  });

  it('refreshes its heartbeat, and knows when others took it for dead', async () => {
    const snapshot = await MediaSnapshot.open(folder);
    const [name = ''] = await readdir(join(folder, 'held'));
    const beat = join(folder, 'held', name, 'heartbeat');
    await utimes(beat, dayBefore(), dayBefore());
    await snapshot.requireHeld();
    expect(Date.now() - (await stat(beat)).mtimeMs).toBeLessThan(60_000);
    await rm(join(folder, 'held', name), { recursive: true });
    await expect(snapshot.requireHeld()).rejects.toMatchObject({ code: 'backup_interrupted' });
    await snapshot.close();
  });
});
