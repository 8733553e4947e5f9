import { stat, statfs } from 'node:fs/promises';
import { AppError } from '@parlance/platform';

/** Room that objects leave to the databases beside them: a deletion has to be written before it frees anything. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/** At most this part of a small disk. */
const SMALL_DISK_SHARE = 1 / 8;

/** The bytes that all bodies of this process together may write between two checks of the disk. */
const CHECK_INTERVAL_BYTES = 1024 * 1024;

/**
 * Bytes that this process has reserved and not yet written, by file system: the services of one process share a disk, and none
 * of them may take what another was promised.
 */
const promisedBytes = new Map<number, number>();

/** Room on a disk that is set aside before anything is written. */
export interface RoomReservation {
  /** Bytes not consumed. */
  readonly left: number;
  /** So many of the reserved bytes lie on the disk now, or are not needed any more. */
  consume(bytes: number): void;
  /** Sets further room aside. @returns false when there is none now */
  extend(bytes: number): Promise<boolean>;
  /** Gives back what was not consumed; again does nothing. */
  release(): void;
}

/** Keeps objects and scratch files from taking the last of the disk on which the folder is. */
export class DiskReserve {
  private unseenBytes = 0;
  private device: number | undefined;

  constructor(private readonly folder: string) {}

  /** Before a body's bytes are written. @throws AppError storage_full when they would take from the reserve */
  async admit(bytes: number): Promise<void> {
    this.unseenBytes += bytes;
    if (this.unseenBytes >= CHECK_INTERVAL_BYTES) await this.look(bytes);
  }

  /** @throws AppError storage_full when so many bytes more would take from the reserve, or from what is promised */
  async look(bytes = 0): Promise<void> {
    this.unseenBytes = 0;
    if ((await this.room()) < bytes) throw storageFull();
  }

  /** Bytes that can be written or reserved now; negative when the reserve is touched, Infinity where the file system does not report it. */
  async room(): Promise<number> {
    this.device ??= (await stat(this.folder)).dev;
    const { bavail, blocks, bsize } = await statfs(this.folder);
    if (blocks === 0) return Infinity;
    return bavail * bsize - reserveOf(blocks * bsize) - (promisedBytes.get(this.device) ?? 0);
  }

  /** Bytes that an empty disk would have room for; Infinity where the file system does not report it. */
  async capacity(): Promise<number> {
    const { blocks, bsize } = await statfs(this.folder);
    return blocks === 0 ? Infinity : blocks * bsize - reserveOf(blocks * bsize);
  }

  /** Sets room aside for a file before it is written. @throws AppError storage_full when there is not so much now */
  async reserve(bytes: number): Promise<RoomReservation> {
    const room = await this.room();
    // No await from here on: two that ask at once must not get the same room.
    if (room < bytes) throw storageFull();
    return this.promise(bytes);
  }

  private promise(bytes: number): RoomReservation {
    let left = 0;
    const change = (by: number) => {
      const device = this.device ?? 0;
      left += by;
      promisedBytes.set(device, (promisedBytes.get(device) ?? 0) + by);
    };
    change(bytes);
    return {
      get left() {
        return left;
      },
      consume: (written) => change(-Math.min(written, left)),
      extend: async (more) => {
        if ((await this.room()) < more) return false;
        change(more);
        return true;
      },
      release: () => change(-left),
    };
  }
}

const reserveOf = (diskBytes: number): number => Math.min(RESERVE_BYTES, diskBytes * SMALL_DISK_SHARE);

export const storageFull = () => new AppError({ kind: 'unavailable', code: 'storage_full', message: 'The storage is full.' });
