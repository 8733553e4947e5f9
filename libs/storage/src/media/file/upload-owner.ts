import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/** The owner of an upload: a run of a process on a host. */
export interface UploadOwner {
  host: string;
  pid: number;
  /** The id of this run: in a container every run has the same pid. */
  run: string;
}

export const THIS_PROCESS: UploadOwner = { host: hostname(), pid: process.pid, run: randomUUID() };

/** For owners of which nothing can be known: those on other hosts that share the folder. */
const STALE_AFTER_MS = 24 * 60 * 60 * 1000;

export const uploadName = ({ host, pid, run }: UploadOwner): string => [host, pid, run, randomUUID()].join('~');

/** True when its owner is gone. @param ageMs since the owner last wrote to it @param staleAfterMs when age alone proves it */
export function isStaleUpload(name: string, ageMs: number, self: UploadOwner, staleAfterMs = STALE_AFTER_MS): boolean {
  const [host, pid, run] = name.split('~');
  if (ageMs > staleAfterMs) return true;
  if (host !== self.host) return false;
  if (Number(pid) === self.pid) return run !== self.run;
  return !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
