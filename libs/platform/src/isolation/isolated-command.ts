import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { LAUNCHER } from './launcher.js';
import { seccompFilter } from './seccomp-filter.js';
import { DECODER_CALLS, UNKNOWN_CALLS, type FilteredArchitecture } from './system-calls.js';

const USR_FOLDERS = ['bin', 'lib', 'lib32', 'lib64', 'libexec', 'local/bin', 'local/lib', 'local/lib64'].map((name) => `/usr/${name}`);

/** Programs, libraries and what starting them reads. No home, no data, nothing of /proc, and of /etc one file. */
const SYSTEM_PATHS = [...USR_FOLDERS, '/bin', '/lib', '/lib64', '/nix/store', '/home/linuxbrew/.linuxbrew', '/etc/ld.so.cache', '/dev/null', '/dev/urandom'];

/**
 * The system folder beneath which a path lies, so that isolated processes would read it. Links are followed.
 * @param path need not exist
 */
export function readableFolderOf(path: string): string | undefined {
  const place = realPath(resolve(path));
  return SYSTEM_PATHS.find((folder) => `${place}/`.startsWith(`${realPath(folder)}/`));
}

/** Resolves links in the part of the path that exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === '/' ? path : join(realPath(dirname(path)), basename(path));
  }
}

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
