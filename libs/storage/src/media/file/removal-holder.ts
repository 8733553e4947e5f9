import { mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@parlance/platform';
import { unlessMissing } from './file-errors.js';
import { isStaleUpload, ownedName, THIS_PROCESS } from './upload-owner.js';

/** In the holder's folder. Removers change the time of the folder, so it says nothing about the holder. */
export const HEARTBEAT = 'heartbeat';

const BEAT_MS = 15_000;
/** Far more than a loaded machine or a slow shared disk delays a beat. */
const DEAD_AFTER_MS = 5 * 60_000;

/** This process as it holds removals: it alone refreshes the heartbeat in its folder. */
export class RemovalHolder {
  private readonly timer: NodeJS.Timeout;
  private lastBeat = Date.now();
  private isLost = false;

  private constructor(readonly folder: string) {
    this.timer = setInterval(() => void this.beat(), BEAT_MS).unref();
  }

  static async begin(root: string): Promise<RemovalHolder> {
    const folder = join(root, ownedName(THIS_PROCESS));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, HEARTBEAT), '', { mode: 0o600 });
    return new RemovalHolder(folder);
  }

  /** @throws AppError backup_interrupted when others may have taken this holder for dead, as after a sleep of the machine */
  async requireHeld(): Promise<void> {
    await this.beat();
    if (this.isLost) throw interrupted();
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  private async beat(): Promise<void> {
    const now = Date.now();
    if (now - this.lastBeat > DEAD_AFTER_MS) this.isLost = true;
    try {
      await utimes(join(this.folder, HEARTBEAT), new Date(now), new Date(now));
      this.lastBeat = now;
    } catch {
      // A passing fault of the disk leaves the time of the last beat, which is judged above; a folder that is gone is lost.
      if (!(await unlessMissing(stat(this.folder)).catch(() => true))) this.isLost = true;
    }
  }
}

/** The state of the folder's holder: dead, or just started without a heartbeat yet. */
export async function stateOfHolder(folder: string, name: string): Promise<'alive' | 'beginning' | 'dead'> {
  const beat = await unlessMissing(stat(join(folder, HEARTBEAT)));
  const found = beat ?? (await unlessMissing(stat(folder)));
  if (found === undefined || isStaleUpload(name, Date.now() - found.mtimeMs, THIS_PROCESS, DEAD_AFTER_MS)) return 'dead';
  return beat ? 'alive' : 'beginning';
}

const interrupted = () =>
  new AppError({ kind: 'conflict', code: 'backup_interrupted', message: 'The process was suspended for minutes, so objects removed meanwhile may be missing in the backup. Create it again.' });
