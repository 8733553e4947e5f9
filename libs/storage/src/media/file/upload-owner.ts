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

/** A new name with the owner in it. */
export const ownedName = ({ host, pid, run }: UploadOwner): string => [host, pid, run, randomUUID()].join('~');

/** The longest name that file systems take. */
const MAX_NAME = 255;

/** The name of the file of an upload: its owner and the folder of its key, as far as that fits. */
export const uploadName = (owner: UploadOwner, folder: string): string => [ownedName(owner), ...folder.split('/')].join('~').slice(0, MAX_NAME);

/** True for the upload of a key below the prefix, which ends in '/'. An upload whose folder does not fit in its name counts as well when what is there agrees. */
export function isUploadBelow(name: string, prefix: string): boolean {
  const folder = `${name.split('~').slice(4).join('/')}/`;
  return folder.startsWith(prefix) || (name.length === MAX_NAME && prefix.startsWith(folder.slice(0, -1)));
}

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
