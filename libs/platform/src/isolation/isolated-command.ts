import { LAUNCHER } from './launcher.js';
import { seccompFilter } from './seccomp-filter.js';
import { DECODER_CALLS, UNKNOWN_CALLS, type FilteredArchitecture } from './system-calls.js';

/** Programs, libraries and what starting them reads. No home, no data, nothing of /proc, and of /etc one file. */
const SYSTEM_PATHS = ['/usr', '/bin', '/lib', '/lib64', '/nix/store', '/home/linuxbrew/.linuxbrew', '/etc/ld.so.cache', '/dev/null', '/dev/urandom'];

const PRCTL: Record<FilteredArchitecture, number> = { x64: 157, arm64: 167 };

const isFiltered = (architecture: string): architecture is FilteredArchitecture => architecture in PRCTL;

/** The machine on which a process is to be confined. */
export interface IsolationHost {
  /** Absolute path of perl. */
  perl: string;
  /** `process.platform` and `process.arch`. */
  platform: string;
  architecture: string;
}

/** Turns a command into one that confines itself before it becomes that command. */
export type IsolatedCommand = (executable: string, args: readonly string[]) => string[];

/**
 * A process that reads its standard input, programs and libraries, has no network and no other files, starts no process, and
 * cannot reach others. How much of it holds depends on the kernel: without Landlock (before 5.13) it reads what its user may read.
 * @returns undefined where there is no such filter: other systems than Linux, other machine types.
 */
export function isolatedCommand({ perl, platform, architecture }: IsolationHost): IsolatedCommand | undefined {
  if (platform !== 'linux' || !isFiltered(architecture)) return undefined;
  const filter = seccompFilter(architecture, DECODER_CALLS, UNKNOWN_CALLS).toString('hex');
  return (executable, args) => [perl, '-e', LAUNCHER, String(PRCTL[architecture]), filter, ...SYSTEM_PATHS, executable, '--', executable, ...args];
}
