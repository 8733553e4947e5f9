import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { foldersUpTo, replaceFile } from './durable-files.js';

describe('files that survive a power cut', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-files-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are replaced whole, for their owner alone', async () => {
    const path = join(folder, 'key');
    await replaceFile(path, 'old\n');
    await replaceFile(path, 'new\n');
    expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777, await readdir(folder)]).toEqual(['new\n', 0o600, ['key']]);
  });

  it('are in folders that are all named on the disk', () => {
    expect(foldersUpTo('/data', '/data/a/b')).toEqual(['/data/a/b', '/data/a', '/data']);
    expect(foldersUpTo('/data', '/data')).toEqual(['/data']);
    expect(foldersUpTo('/elsewhere', '/data')).toEqual(['/data', '/']);
  });
});
