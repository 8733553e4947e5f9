import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError } from '@parlance/platform';
import type { StoredObject } from '../media-store.js';
import { filesInKeyOrder } from './files-in-key-order.js';
import { HeldRemovals, keyOfHeld } from './held-removals.js';
import { HEARTBEAT, type RemovalHolder } from './removal-holder.js';

/** The folders of FileMediaStore. */
export const mediaFolders = (root: string) => ({ objects: join(root, 'objects'), uploads: join(root, 'uploads'), partials: join(root, 'partials'), held: join(root, 'held') });

export interface SnapshotObject extends StoredObject {
  path: string;
}

/**
 * The objects of a FileMediaStore as they are from now on: removals by running processes are held until `close`, so that what
 * was there at any moment in between can still be read. Objects that are put meanwhile may be among them.
 */
export class MediaSnapshot {
  private constructor(
    private readonly objectsFolder: string,
    private readonly holder: RemovalHolder,
  ) {}

  /** @throws AppError conflict/backup_running when another process has one open */
  static async open(folder: string): Promise<MediaSnapshot> {
    const { objects, held } = mediaFolders(resolve(folder));
    const own = await new HeldRemovals(held).hold();
    if (own === undefined) throw new AppError({ kind: 'conflict', code: 'backup_running', message: 'Another backup is running.' });
    return new MediaSnapshot(objects, own);
  }

  /** First those in their place, then those whose removal is held. An object may come twice, and may be moved before it is opened: then it comes again. */
  async *objects(): AsyncGenerator<SnapshotObject> {
    for await (const object of filesInKeyOrder(this.objectsFolder, '')) yield { ...object, path: join(this.objectsFolder, object.key) };
    for (const name of await readdir(this.holder.folder)) if (name !== HEARTBEAT) yield* this.heldBelow(name);
  }

  /** One object, or those below a removed prefix. */
  private async *heldBelow(name: string): AsyncGenerator<SnapshotObject> {
    const [path, removed] = [join(this.holder.folder, name), keyOfHeld(name)];
    const found = await stat(path);
    if (found.isFile()) return yield { key: removed, sizeBytes: found.size, path };
    for await (const { key, sizeBytes } of filesInKeyOrder(path, '')) yield { key: `${removed}${key}`, sizeBytes, path: join(path, key) };
  }

  /** @throws AppError backup_interrupted when removals may not have been held all the time */
  requireHeld(): Promise<void> {
    return this.holder.requireHeld();
  }

  close(): Promise<void> {
    return this.holder.end();
  }
}
