import { statfs } from 'node:fs/promises';
import { AppError } from '@parlance/platform';

/** Room that objects leave to the databases beside them: a deletion has to be written before it frees anything. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/** At most this part of a small disk. */
const SMALL_DISK_SHARE = 1 / 8;

/** How much may be written between two looks at the disk, by all bodies of this process together. */
const LOOK_EVERY_BYTES = 1024 * 1024;

/** Keeps objects from taking the last of the disk on which the folder is. */
export class DiskReserve {
  private unseenBytes = 0;

  constructor(private readonly folder: string) {}

  /** Before a body's bytes are written. @throws AppError storage_full when they would take from the reserve */
  async admit(bytes: number): Promise<void> {
    this.unseenBytes += bytes;
    if (this.unseenBytes >= LOOK_EVERY_BYTES) await this.look(bytes);
  }

  /** @throws AppError storage_full when so many bytes more would take from the reserve */
  async look(bytes = 0): Promise<void> {
    this.unseenBytes = 0;
    const { bavail, blocks, bsize } = await statfs(this.folder);
    // Some file systems do not say how large they are.
    if (blocks === 0) return;
    if (bavail * bsize - bytes < Math.min(RESERVE_BYTES, blocks * bsize * SMALL_DISK_SHARE)) throw storageFull();
  }
}

const storageFull = () => new AppError({ kind: 'unavailable', code: 'storage_full', message: 'The storage is full.' });
