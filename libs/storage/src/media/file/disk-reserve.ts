import type { StatsFs } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { AppError, TurnBatch } from '@parlance/platform';

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

/** `totalBytes` is 0 where the file system does not report it. */
interface FileSystem {
  device: number;
  freeBytes: number;
  totalBytes: number;
}

/** Keeps objects and scratch files from taking the last of the disk on which the folder is. */
export class DiskReserve {
  private unseenBytes = 0;
  private device: number | undefined;
  /** One look at the disk for all that wait for one: live sessions begin hundreds of pieces a second. */
  private readonly looks = new TurnBatch<undefined, FileSystem>(
    () => this.fileSystem(),
    () => Promise.resolve(),
  );

  constructor(
    private readonly folder: string,
    private readonly statDisk: (path: string) => Promise<Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'>> = statfs,
  ) {}

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
    return roomOf(await this.looks.add('', undefined));
  }

  /** Bytes that an empty disk would have room for; Infinity where the file system does not report it. */
  async capacity(): Promise<number> {
    const { totalBytes } = await this.looks.add('', undefined);
    return totalBytes === 0 ? Infinity : totalBytes - reserveOf(totalBytes);
  }

  /** Sets room aside for a file before it is written. @throws AppError storage_full when there is not so much now */
  async reserve(bytes: number): Promise<RoomReservation> {
    const disk = await this.looks.add('', undefined);
    // No await from here on: two that ask at once must not get the same room.
    if (roomOf(disk) < bytes) throw storageFull();
    return this.promise(bytes);
  }

  private async fileSystem(): Promise<FileSystem> {
    this.device ??= (await stat(this.folder)).dev;
    const { bavail, blocks, bsize } = await this.statDisk(this.folder);
    return { device: this.device, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
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
        const disk = await this.looks.add('', undefined);
        if (roomOf(disk) < more) return false;
        change(more);
        return true;
      },
      release: () => change(-left),
    };
  }
}

/** With what is promised at this moment. */
function roomOf({ device, freeBytes, totalBytes }: FileSystem): number {
  return totalBytes === 0 ? Infinity : freeBytes - reserveOf(totalBytes) - (promisedBytes.get(device) ?? 0);
}

const reserveOf = (diskBytes: number): number => Math.min(RESERVE_BYTES, diskBytes * SMALL_DISK_SHARE);

export const storageFull = () => new AppError({ kind: 'unavailable', code: 'storage_full', message: 'The storage is full.' });
