import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError, syncFolder } from '@parlance/platform';
import { KEY_BYTES, newKey } from '../../aead.js';

/** A version of the master key. */
export interface MasterKey {
  /** A number from 1; the highest is the newest. */
  version: number;
  key: Buffer;
}

const LINE = /^([1-9][0-9]{0,8}) ([A-Za-z0-9+/]{43}=)$/;

/**
 * Reads the versions of the master key: a line each, with its number and 32 bytes in base64. Empty lines and comments (`#`) are allowed.
 *
 * @returns undefined when there is no file
 * @throws ConfigError when it is another file
 */
export async function readMasterKeys(path: string): Promise<MasterKey[] | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError([`KEY_PROVIDER: the key file ${path} cannot be read (${error.code ?? error.message}).`]);
  });
  return text === undefined ? undefined : parseMasterKeys(text, path);
}

function parseMasterKeys(text: string, path: string): MasterKey[] {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const keys = lines.map((line) => {
    const [, version, key] = LINE.exec(line) ?? [];
    if (version === undefined || key === undefined) throw notKeys(path);
    return { version: Number(version), key: Buffer.from(key, 'base64') };
  });
  const isRepeated = new Set(keys.map(({ version }) => version)).size < keys.length;
  if (keys.length === 0 || isRepeated) throw notKeys(path);
  return keys;
}

const notKeys = (path: string) =>
  new ConfigError([`KEY_PROVIDER: ${path} is not a key file: it needs lines of a version number, each once, and ${KEY_BYTES} bytes in base64. Put the file back from your copy; do not start with a new one.`]);

const HEADER = `# Master keys of Parlance: a version and ${KEY_BYTES} bytes in base64 a line, the highest version is used for new keys.
# Without this file nothing can be read any more. It is in no backup: keep a copy elsewhere.
`;

/** Makes the file with one key, for its owner alone. Another process may make it at the same time: then its file is kept. */
export async function createMasterKeys(path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fresh = `${path}.${randomUUID()}.new`;
  try {
    await writeSynced(fresh, `${HEADER}${lineOf(1)}`);
    await link(fresh, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await syncFolder(folder);
  } finally {
    await rm(fresh, { force: true });
  }
}

/**
 * Adds a key with the next version to the file, and replaces the file in one step. A lock file beside it keeps two processes from
 * adding the same version.
 *
 * @throws ConfigError when the file is missing, cannot be written, or is locked
 */
export async function addMasterKey(path: string): Promise<void> {
  const lock = `${path}.lock`;
  await writeSynced(lock, '').catch((error: NodeJS.ErrnoException) => {
    const isLocked = error.code === 'EEXIST';
    throw new ConfigError([isLocked ? `KEY_PROVIDER: ${lock} exists: another process adds a key, or was killed while it did. Remove the lock when none does.` : cannotWrite(path, error)]);
  });
  const fresh = `${path}.${randomUUID()}.new`;
  try {
    const keys = await readMasterKeys(path);
    if (!keys) throw new ConfigError([`KEY_PROVIDER: the key file ${path} is missing.`]);
    const text = await readFile(path, 'utf8');
    const next = Math.max(...keys.map(({ version }) => version)) + 1;
    await writeSynced(fresh, `${text.endsWith('\n') ? text : `${text}\n`}${lineOf(next)}`);
    await rename(fresh, path);
    await syncFolder(dirname(path));
  } catch (error) {
    throw error instanceof ConfigError ? error : new ConfigError([cannotWrite(path, error as NodeJS.ErrnoException)]);
  } finally {
    await rm(fresh, { force: true });
    await rm(lock, { force: true });
  }
}

const cannotWrite = (path: string, { code, message }: NodeJS.ErrnoException) => `KEY_PROVIDER: no key can be added to ${path} (${code ?? message}). Add a line to it where it is kept, and rotate with --keep-master-key.`;

const lineOf = (version: number): string => `${version} ${newKey().toString('base64')}\n`;

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
