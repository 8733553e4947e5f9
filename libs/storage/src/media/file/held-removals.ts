import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, unlessMissing } from './file-errors.js';
import { RemovalHolder, stateOfHolder } from './removal-holder.js';

/** Not in keys, so a key can be a file name. */
const SEPARATOR = '~';

/**
 * Removed objects that a backup still has to copy. While a process holds removals, all processes that share the folder move
 * what they remove into the holder's folder instead; it removes that folder when it is done. Folders of dead holders are
 * removed with the next removal or start.
 */
export class HeldRemovals {
  constructor(private readonly root: string) {}

  /** Begins to hold. @returns undefined when another process holds already */
  async hold(): Promise<RemovalHolder | undefined> {
    return (await this.holder()) === undefined ? RemovalHolder.begin(this.root) : undefined;
  }

  /** Removes what dead holders left, as each removal does. */
  async clear(): Promise<void> {
    await this.holder();
  }

  /** Moves the file or folder of the key away. @returns whether a holder took it; otherwise the caller removes it */
  async take(path: string, key: string): Promise<boolean> {
    const holder = await this.holder();
    if (holder === undefined) return false;
    try {
      await rename(path, join(holder, `${key.replaceAll('/', SEPARATOR)}${SEPARATOR}${randomUUID()}`));
      return true;
    } catch (error) {
      // The object is gone, or the holder ended.
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Removes what dead holders left. @returns the folder of the one that lives */
  private async holder(): Promise<string | undefined> {
    let alive: string | undefined;
    for (const name of (await unlessMissing(readdir(this.root))) ?? []) {
      const folder = join(this.root, name);
      const state = await stateOfHolder(folder, name);
      if (state === 'dead') await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      else if (state === 'alive') alive ??= folder;
    }
    return alive;
  }
}

/** The key, or prefix, whose removal made the entry. */
export const keyOfHeld = (name: string): string => name.slice(0, name.lastIndexOf(SEPARATOR)).replaceAll(SEPARATOR, '/');
