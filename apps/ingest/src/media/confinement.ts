import type { SpawnOptions } from 'node:child_process';
import { fchmodSync, fstatSync, readFileSync } from 'node:fs';
import type { IsolatedCommand } from '@parlance/platform/isolation';
import type { IsolationLevel } from './isolation-level.js';

export interface SandboxLimits {
  /** Processor time of one run. */
  cpuSeconds: number;
  /** To which the processor time can be raised while it runs. Default: not at all. */
  maxCpuSeconds?: number;
  addressSpaceBytes: number;
  /** Memory of its own, written or not; without what libraries take that all processes share. */
  dataBytes?: number;
  /** Milliseconds one run may take. */
  deadlineMs: number;
}

/** The command that starts a child process. */
export interface ConfinedCommand {
  command: string;
  args: string[];
  options: Pick<SpawnOptions, 'uid' | 'gid'>;
}

/** The means that confine a run; a part that the machine does not have is absent. */
export interface Confinement {
  level: IsolationLevel;
  isolate?: IsolatedCommand;
  /** Users and groups for runs, in turns: one run cannot reach another. Needs a process that may change its user. */
  users?: { first: number; count: number };
  /** Absolute path of prlimit (util-linux). */
  prlimit?: string;
  limits: SandboxLimits;
}

/** Threads that a run may have beside what its user has: ffmpeg 7 has about ten. */
const THREADS = 64;
/** Beside all threads of the machine, where the limit counts those of a user who has other programs. */
const THREADS_OF_SHARED_USER = 512;

let runs = process.pid;

/** The command that runs the executable confined; see `Confinement`. */
export function confine({ isolate, users, prlimit, limits }: Confinement, executable: string, args: readonly string[]): ConfinedCommand {
  const isolated = isolate?.(executable, args) ?? [executable, ...args];
  const [command = executable, ...rest] = prlimit ? [prlimit, ...limitFlags(limits, users !== undefined), '--', ...isolated] : isolated;
  if (!users) return { command, args: rest, options: {} };
  runs += 1;
  const id = users.first + (runs % users.count);
  return { command, args: rest, options: { uid: id, gid: id } };
}

const limitFlags = ({ cpuSeconds, maxCpuSeconds = cpuSeconds, addressSpaceBytes, dataBytes }: SandboxLimits, ownUser: boolean): string[] => [
  // The soft limit ends it with a signal that says why, the hard one five seconds later for certain.
  `--cpu=${cpuSeconds}:${maxCpuSeconds + 5}`,
  `--as=${addressSpaceBytes}`,
  ...(dataBytes === undefined ? [] : [`--data=${dataBytes}`]),
  '--fsize=0',
  '--core=0',
  '--nofile=64',
  `--nproc=${ownUser ? THREADS : threadsOfMachine() + THREADS_OF_SHARED_USER}`,
];

/** The fourth field of /proc/loadavg is `running/all`. */
const threadsOfMachine = (): number => Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[3]?.split('/')[1] ?? 0);

/**
 * Lets a run's own user open a file through its descriptor (/dev/fd/0), which asks for the right to read the file, not for a way
 * to it: the folders above stay closed.
 */
export function letUserRead(descriptor: number): void {
  const { mode } = fstatSync(descriptor);
  if ((mode & 0o004) === 0) fchmodSync(descriptor, mode | 0o004);
}
