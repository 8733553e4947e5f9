import { rm } from 'node:fs/promises';
import { retryDelay } from '../async/retry-delay.js';

const BACK_OFF = { initialDelayMs: 400, maxDelayMs: 30_000 };
/** About three hours; the next start removes what is left then. */
const MAX_TRIES = 360;

/** Removes a folder of scratch files. One that cannot be removed now, as no descriptor is free to list it, is removed later. Never throws. */
export async function removeScratch(folder: string): Promise<void> {
  await tryToRemove(folder, 1);
}

async function tryToRemove(folder: string, tries: number): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    if (tries < MAX_TRIES) setTimeout(() => void tryToRemove(folder, tries + 1), retryDelay(tries, BACK_OFF, 1)).unref();
  }
}
