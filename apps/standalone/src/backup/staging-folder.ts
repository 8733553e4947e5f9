import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@parlance/platform';

/** The folder for unencrypted copies of the databases during a backup. */
export const stagingFolder = (dataFolder: string): string => join(dataFolder, 'run', 'backup');

interface AbandonedCopies {
  dataFolder: string;
  /** MEDIA_URL. */
  mediaUrl?: string | undefined;
  log: Logger;
}

/** Removes the files that a killed backup left, unless a backup is running. A failure is logged and does not stop the start. */
export async function removeAbandonedCopies({ dataFolder, mediaUrl, log }: AbandonedCopies): Promise<void> {
  const staging = stagingFolder(dataFolder);
  if (!existsSync(staging)) return;
  try {
    const [{ mediaFolderOf }, { MediaSnapshot }] = await Promise.all([import('./backup-sources.js'), import('@parlance/storage')]);
    // Keeps a backup from beginning meanwhile, and fails when one is under way.
    const media = await MediaSnapshot.open(mediaFolderOf(dataFolder, mediaUrl));
    try {
      await rm(staging, { recursive: true, force: true });
    } finally {
      await media.close();
    }
    log.info({ folder: staging }, 'removed the database copies that a killed backup left behind');
  } catch (error) {
    log.warn({ err: error, folder: staging }, 'database copies of a backup found: it is running, or was killed minutes ago; a later start or backup removes them');
  }
}
