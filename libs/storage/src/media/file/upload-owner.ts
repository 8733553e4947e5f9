import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/** Who writes an upload: a run of a process on a host. */
export interface UploadOwner {
  host: string;
  pid: number;
  /** Of this run alone: in a container every run has the same pid. */
  run: string;
}

export const THIS_PROCESS: UploadOwner = { host: hostname(), pid: process.pid, run: randomUUID() };

/** For owners of which nothing can be known: those on other hosts that share the folder. */
const STALE_AFTER_MS = 24 * 60 * 60 * 1000;

export const uploadName = ({ host, pid, run }: UploadOwner): string => [host, pid, run, randomUUID()].join('~');

/** Whether nobody will finish the upload. @param ageMs since it was last written to */
export function isStaleUpload(name: string, ageMs: number, self: UploadOwner): boolean {
  const [host, pid, run] = name.split('~');
  if (ageMs > STALE_AFTER_MS) return true;
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
