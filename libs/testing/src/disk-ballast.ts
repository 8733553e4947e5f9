import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

const PIECE_BYTES = 1024 * 1024;

const ballast = (folder: string): string => join(folder, 'ballast');

/** Bytes free on the disk that the folder is on. */
export async function freeDiskBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Fills the disk that the folder is on, except for so many bytes. */
export async function fillDisk(folder: string, leaveBytes = 0): Promise<void> {
  const handle = await open(ballast(folder), 'a');
  try {
    for (;;) {
      const room = (await freeDiskBytes(folder)) - leaveBytes;
      if (room <= 0) return;
      await handle.appendFile(Buffer.alloc(Math.min(room, PIECE_BYTES)));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await handle.close();
  }
}

/** Removes what `fillDisk` wrote. */
export const relieveDisk = (folder: string): Promise<void> => rm(ballast(folder), { force: true });
