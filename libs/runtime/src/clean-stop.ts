import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, syncFolder } from '@parlance/platform';

/** The marker file, which is in the data folder from a clean stop until the next start. */
const marker = (dataFolder: string): string => join(dataFolder, 'run', 'clean-stop');

/**
 * Call it once at the start, in the process that holds the lock of the data folder.
 * @returns true when the last process stopped cleanly; false also when there was none
 */
export async function takeCleanStop(dataFolder: string): Promise<boolean> {
  try {
    await rm(marker(dataFolder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  // A power cut must not bring the marker back.
  await syncFolder(join(dataFolder, 'run'));
  return true;
}

/** Call it when everything else is closed. */
export const markCleanStop = (dataFolder: string): Promise<void> => replaceFile(marker(dataFolder), '');
