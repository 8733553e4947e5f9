import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredObject } from '../media-store.js';
import { unlessMissing } from './file-errors.js';

/** Files below the root as objects whose key begins with the prefix, in the order of keys. */
export async function* filesInKeyOrder(root: string, prefix: string): AsyncGenerator<StoredObject> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  yield* below(root, folder, prefix);
}

async function* below(root: string, folder: string, prefix: string): AsyncGenerator<StoredObject> {
  const entries = (await unlessMissing(readdir(join(root, folder), { withFileTypes: true }))) ?? [];
  // With its '/', as 'a/b' comes after 'a.b' though 'a' comes before.
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted((a, b) => (a < b ? -1 : 1));
  for (const name of names) {
    const key = folder + name;
    if (!key.startsWith(prefix)) continue;
    if (name.endsWith('/')) {
      yield* below(root, key, prefix);
      continue;
    }
    const found = await unlessMissing(stat(join(root, key)));
    if (found) yield { key, sizeBytes: found.size };
  }
}
