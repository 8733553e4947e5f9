import { rmdir } from 'node:fs/promises';
import { dirname, sep } from 'node:path';

/**
 * Removes the folder and those above it, up to the root, as far as they are empty. A writer that was about to use one has to
 * create it again.
 */
export async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  for (let path = folder; path.startsWith(root + sep); path = dirname(path)) {
    try {
      await rmdir(path);
    } catch (error) {
      // Another process removed this folder and may have been killed before the next one. A folder that is not empty is in use.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    }
  }
}
