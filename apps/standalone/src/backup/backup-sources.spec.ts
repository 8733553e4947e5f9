import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { requireOwner } from './backup-sources.js';

describe('the user that makes a backup', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-require-owner-'));
    await writeFile(join(folder, 'events.db'), '');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('must own the databases', async () => {
    const sources = { dataFolder: folder, databases: new Map([[join(folder, 'events.db'), 'events.db']]) };
    const { uid } = await stat(join(folder, 'events.db'));
    expect(() => requireOwner(sources)).not.toThrow();
    expect(() => requireOwner(sources, uid + 1)).toThrow(`belongs to user ${uid}, and this is user ${uid + 1}`);
  });
});
