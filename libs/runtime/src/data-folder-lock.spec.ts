import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigError } from '@parlance/platform';
import { lockDataFolder } from './data-folder-lock.js';

const HOLDER = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1] + '/run/lock.db');
  database.exec('BEGIN EXCLUSIVE');
  console.log('held');
  setInterval(() => {}, 1000);
`;

describe('the lock on a data folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-lock-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('keeps a second owner out until the first lets go', () => {
    const unlock = lockDataFolder(folder);
    expect(() => lockDataFolder(folder)).toThrow(ConfigError);
    unlock();
    lockDataFolder(folder)();
  });

  it('that cannot be taken for another reason does not say that somebody else has it', async () => {
    await mkdir(join(folder, 'run'));
    await writeFile(join(folder, 'run', 'lock.db'), 'x'.repeat(4096));
    const said = `${join(folder, 'run', 'lock.db')} is damaged, or not a database`;
    expect(() => lockDataFolder(folder)).toThrow(expect.objectContaining({ name: 'ConfigError', problems: [expect.stringContaining(said)] }));
  });

  it('is free again when its owner was killed with -9', async () => {
    lockDataFolder(folder)();
    const holder = spawn(process.execPath, ['-e', HOLDER, folder], { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env.PATH } });
    await once(holder.stdout, 'data');
    expect(() => lockDataFolder(folder)).toThrow(/another Parlance process/);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    lockDataFolder(folder)();
  });
});
