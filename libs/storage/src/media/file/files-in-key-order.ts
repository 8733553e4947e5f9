import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredObject } from '../media-store.js';
import { isMissing } from './file-errors.js';

/** Files below the root as objects whose key begins with the prefix, in the order of keys. */
export async function* filesInKeyOrder(root: string, prefix: string): AsyncGenerator<StoredObject> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  yield* below(root, folder, prefix);
}

async function* below(root: string, folder: string, prefix: string): AsyncGenerator<StoredObject> {
  const entries = await entriesOf(join(root, folder));
  // With its '/', as 'a/b' comes after 'a.b' though 'a' comes before.
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted((a, b) => (a < b ? -1 : 1));
  for (const name of names) {
    const key = folder + name;
    if (!key.startsWith(prefix)) continue;
    if (name.endsWith('/')) {
      yield* below(root, key, prefix);
      continue;
    }
    const sizeBytes = await sizeOf(join(root, key));
    if (sizeBytes !== undefined) yield { key, sizeBytes };
  }
}

async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
