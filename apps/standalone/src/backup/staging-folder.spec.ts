import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@parlance/platform';
import { MediaSnapshot } from '@parlance/storage';
import { removeAbandonedCopies, stagingFolder } from './staging-folder.js';

describe('copies of databases that a backup made', () => {
  let dataFolder: string;
  const atStart = () => removeAbandonedCopies({ dataFolder, log: silentLogger() });
  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'parlance-staging-'));
    await mkdir(join(stagingFolder(dataFolder), 'documents'), { recursive: true });
    await writeFile(join(stagingFolder(dataFolder), 'documents', 'ingest.db'), 'speech');
  });
  afterEach(() => rm(dataFolder, { recursive: true }));

  it('go with the next start when the backup was killed, and so do the media it held', async () => {
    const held = join(dataFolder, 'media', 'held', `${hostname()}~999999999~run~id`);
    await mkdir(held, { recursive: true });
    for (const name of ['heartbeat', 'acc~job_1~source~uuid']) await writeFile(join(held, name), '');
    await atStart();
    expect(existsSync(stagingFolder(dataFolder))).toBe(false);
    expect(await readdir(join(dataFolder, 'media', 'held'))).toEqual([]);
  });

  it('stay as long as the backup is under way', async () => {
    const media = await MediaSnapshot.open(join(dataFolder, 'media'));
    await atStart();
    expect(existsSync(join(stagingFolder(dataFolder), 'documents', 'ingest.db'))).toBe(true);
    await media.close();
  });
});
