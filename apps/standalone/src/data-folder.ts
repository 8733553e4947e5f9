import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '@parlance/platform';

const REASONS: Record<string, string> = {
  EEXIST: 'is a file, not a folder',
  ENOTDIR: 'is below a file, not a folder',
  EACCES: 'cannot be written by this user',
  EPERM: 'cannot be written by this user',
  EROFS: 'is on a read-only file system',
  ENOENT: 'cannot be created: this file system does not allow it',
  ENOSPC: 'cannot be created: the disk is full',
};

/** Makes the folder for its owner alone. @throws ConfigError when it cannot be made or written */
export function makeDataFolder(path: string): void {
  try {
    // One by one: Node's own recursion never ends in a file system such as /proc, which answers ENOENT below a folder that is there.
    for (const folder of missingFolders(path)) makeFolder(folder);
    if (!statSync(path).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'EEXIST' });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ConfigError([`PARLANCE_DATA: ${path} ${REASONS[code] ?? `cannot be used (${code})`}; choose a writable folder`]);
  }
}

/** The outermost first. */
function missingFolders(path: string): string[] {
  return existsSync(path) || dirname(path) === path ? [] : [...missingFolders(dirname(path)), path];
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another start may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
