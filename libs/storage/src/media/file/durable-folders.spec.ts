import { mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DurableFolders } from './durable-folders.js';

describe('the folders of objects', () => {
  let root: string;
  beforeEach(async () => (root = await mkdtemp(join(tmpdir(), 'parlance-folders-'))));
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('are synced again, also when one was removed and made anew meanwhile', async () => {
    const folder = join(root, 'account', 'job');
    const folders = new DurableFolders(root);
    for (let time = 0; time < 2; time += 1) {
      await mkdir(folder, { recursive: true });
      await folders.sync(folder);
      await folders.sync(folder);
      await rmdir(folder);
      await rmdir(join(root, 'account'));
    }
    await expect(folders.sync(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    await folders.sync(root);
  });
});
