import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, syncFolder } from '@parlance/platform';

/** In the data folder from a stop in order until the next start. */
const marker = (dataFolder: string): string => join(dataFolder, 'run', 'clean-stop');

/**
 * To be asked once at the start, by the process that has the data folder to itself.
 * @returns whether the last process stopped in order; false also when there was none
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

/** To be called when everything else is closed. */
export const markCleanStop = (dataFolder: string): Promise<void> => replaceFile(marker(dataFolder), '');
