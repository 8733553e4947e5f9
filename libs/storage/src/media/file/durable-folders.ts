import type { Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { foldersUpTo, syncFolder } from '@parlance/platform';

/** Folders that are remembered: more than a process writes to at a time. */
const MAX_KNOWN = 4096;

/**
 * Brings new names in a folder to the disk, and once the names of the folder itself and of those above it. A folder is known by its
 * inode: while that exists, none of the folders above it can be removed.
 */
export class DurableFolders {
  private readonly known = new Map<string, string>();

  constructor(private readonly root: string) {}

  /** Settles when the names in the folder, and the folder itself, would survive a power cut. */
  async sync(folder: string): Promise<void> {
    const identity = await syncedIdentity(folder);
    if (folder === this.root || (identity !== undefined && this.known.get(folder) === identity)) return;
    // Another process may have made them and not yet flushed them.
    await Promise.all(foldersUpTo(this.root, dirname(folder)).map(syncFolder));
    if (identity !== undefined) this.remember(folder, identity);
  }

  private remember(folder: string, identity: string): void {
    this.known.set(folder, identity);
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_KNOWN && oldest !== undefined) this.known.delete(oldest);
  }
}

async function syncedIdentity(folder: string): Promise<string | undefined> {
  const handle = await open(folder);
  try {
    const stats = await handle.stat();
    await handle.sync();
    return identityOf(stats);
  } finally {
    await handle.close();
  }
}

/**
 * The inode with the time of its creation, as ext4 gives the number of a removed folder to the next one. Undefined where the file
 * system keeps no such time (NFS): the two folders cannot be distinguished there.
 */
function identityOf({ ino, birthtimeMs }: Stats): string | undefined {
  return birthtimeMs > 0 ? `${ino} ${birthtimeMs}` : undefined;
}
