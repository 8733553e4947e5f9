import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lockAddress, lockState } from '../src/watch/folder-lock.js';
import { scan, SettledFiles } from '../src/watch/folder-scan.js';
import { idempotencyKeyOf, WatchState } from '../src/watch/watch-state.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watch-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('a folder below the watched one that cannot be read ends no scan', async () => {
  await writeFile(join(folder, 'talk.mp3'), 'abc');
  // A path that is longer than the system takes.
  const script = 'd=$(printf "%0200d" 0); for n in $(seq 25); do mkdir $d && cd $d || exit 1; done';
  expect(spawnSync('bash', ['-c', script], { cwd: folder }).status).toBe(0);
  try {
    expect((await scan(folder, folder)).map(({ path }) => path)).toEqual(['talk.mp3']);
  } finally {
    spawnSync('rm', ['-rf', join(folder, '0'.repeat(200))]);
  }
});

describe('the lock of a state file', () => {
  it('is had by one process at a time', async () => {
    const file = join(folder, 'state.json');
    const unlock = await lockState(file);
    await expect(lockState(file)).rejects.toThrow('Another process watches with');
    (await lockState(join(folder, 'other.json')))();
    unlock();
    (await lockState(file))();
  });

  it('is free again after kill -9', async () => {
    const file = join(folder, 'state.json');
    const script = `require('node:net').createServer().listen(process.argv[1], () => console.log('listens'))`;
    const holder = spawn(process.execPath, ['-e', script, await lockAddress(file)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    await expect(lockState(file)).rejects.toThrow('Another process watches with');
    holder.kill('SIGKILL');
    await once(holder, 'close');
    (await lockState(file))();
  });
});

describe('the state of a watched folder', () => {
  it('is there again after a crash', async () => {
    const file = join(folder, 'state.json');
    const state = await WatchState.open(file);
    await state.begin('aa', 'talk.mp3');
    await state.put('aa', { ...state.recording('aa')!, status: 'waiting', job_id: 'job_1' });
    await state.remember('talk.mp3', { size: 3, mtimeMs: 4 }, 'aa');
    const later = await WatchState.open(file);
    expect(later.recording('aa')).toEqual({ path: 'talk.mp3', status: 'waiting', attempt: 1, job_id: 'job_1', stem: 'talk' });
    expect(later.hashOf('talk.mp3', { size: 3, mtimeMs: 4 })).toBe('aa');
    expect(later.hashOf('talk.mp3', { size: 3, mtimeMs: 5 })).toBeUndefined();
  });

  it('keeps everything that is put at the same time', async () => {
    const file = join(folder, 'state.json');
    const state = await WatchState.open(file);
    await Promise.all(['aa', 'bb', 'cc'].map((hash) => state.begin(hash, `${hash}.mp3`)));
    const later = await WatchState.open(file);
    expect(['aa', 'bb', 'cc'].map((hash) => later.recording(hash)?.stem)).toEqual(['aa', 'bb', 'cc']);
  });

  it('gives transcripts names that do not collide, and a new content of a path the name of the old one', async () => {
    const state = await WatchState.open(join(folder, 'state.json'));
    await state.begin('aa', 'sub/talk.mp3');
    await state.begin('bb', 'sub/talk.wav');
    await state.begin('cc', 'other/talk.wav');
    await state.begin('dd', 'sub/talk.mp3');
    expect(['aa', 'bb', 'cc', 'dd'].map((hash) => state.recording(hash)?.stem)).toEqual(['sub/talk', 'sub/talk.wav', 'other/talk', 'sub/talk']);
  });

  it('has one key for an attempt and its settings, and another for the next', async () => {
    const state = await WatchState.open(join(folder, 'state.json'));
    await state.begin('aa', 'talk.mp3');
    await state.begin('aa', 'talk.mp3');
    expect(state.recording('aa')?.attempt).toBe(2);
    const keys = [idempotencyKeyOf('aa', 1, {}), idempotencyKeyOf('aa', 2, {}), idempotencyKeyOf('aa', 1, { model: 'large' })];
    expect(new Set(keys).size).toBe(3);
    expect(idempotencyKeyOf('aa', 1, {})).toBe(keys[0]);
  });

  it('says what to do with a file that is not its own', async () => {
    const file = join(folder, 'state.json');
    await writeFile(file, '{"version": 99}');
    await expect(WatchState.open(file)).rejects.toThrow(/is not a state file .* Remove it/);
  });
});

describe('a scan of a folder', () => {
  it('finds recordings, oldest first, and leaves out transcripts, hidden files and unfinished downloads', async () => {
    const output = join(folder, 'out');
    for (const each of ['sub', 'out', '.hidden']) await mkdir(join(folder, each));
    for (const [index, name] of ['b.MP3', 'sub/a.wav', 'out/c.mp3', '.hidden/d.mp3', '.e.mp3', 'f.txt', 'g.mp3.part'].entries()) {
      await writeFile(join(folder, name), 'x');
      await utimes(join(folder, name), 100 - index, 100 - index);
    }
    expect((await scan(folder, output)).map(({ path }) => path)).toEqual(['sub/a.wav', 'b.MP3']);
  });

  it('calls a file whole once it has not changed for the time', () => {
    const files = new SettledFiles(1000);
    const at = (size: number, now: number) => files.isWhole({ path: 'a.mp3', size, mtimeMs: 1 }, now);
    expect([at(1, 0), at(1, 500), at(2, 900), at(2, 1800), at(2, 1900)]).toEqual([false, false, false, false, true]);
    expect([at(0, 2000), at(0, 9000)]).toEqual([false, false]);
    files.keepOnly(new Set());
    expect(at(2, 9000)).toBe(false);
  });
});
