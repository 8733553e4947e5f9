import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, open } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import { AppError, printedExhaustion, removeScratch, type Logger } from '@parlance/platform';
import { chooseConfinement } from './choose-confinement.js';
import { confine, letUserRead, type ConfinedCommand, type SandboxLimits } from './confinement.js';
import type { IsolationLevel, SandboxMode } from './isolation-level.js';

export type MediaTool = 'ffmpeg' | 'ffprobe';

/** The address space of all decoders of a process fits the memory limit of its pod; a test compares them. */
export const DEFAULT_SANDBOX_LIMITS: SandboxLimits = { cpuSeconds: 1800, addressSpaceBytes: 1024 ** 3, deadlineMs: 3_600_000 };

/**
 * Returns the limits of one run, where all runs for a recording together have so many minutes. They are wide enough that those
 * minutes are over first (media_timeout), though ffmpeg keeps several cores busy. A run that is not waited for any more still ends.
 */
export const sandboxTimes = (minutes: number): Pick<SandboxLimits, 'cpuSeconds' | 'deadlineMs'> => ({ cpuSeconds: 4 * minutes * 60, deadlineMs: minutes * 60_000 });

export type SandboxEnd =
  | { kind: 'exited'; code: number; stderr: string }
  /** It hit a limit of processor time, memory or time. */
  | { kind: 'limited'; stderr: string };

export interface SandboxRun {
  /** To be read to its end or left early, which ends the process. */
  stdout: AsyncIterable<Uint8Array>;
  /** After stdout has been read. @throws the signal's reason after an abort. */
  end: Promise<SandboxEnd>;
}

/** Name of a tool's input in its arguments: the only file that it can open, wherever that lies. */
export const INPUT = '/dev/fd/0';

export interface SandboxInput {
  /** The file that the tool reads as `INPUT`. */
  file: string;
  signal: AbortSignal;
}

/** Runs ffmpeg and ffprobe on media from strangers. */
export interface MediaSandbox {
  /** The level that holds on this machine, tried when the sandbox was made. */
  readonly level: IsolationLevel;
  /** @throws AppError internal when the tool is not installed. */
  run(tool: MediaTool, args: readonly string[], input: SandboxInput): Promise<SandboxRun>;
}

interface MediaSandboxOptions {
  /** Each run gets an empty folder of its own in here, gone when it ends. */
  scratchFolder: string;
  /** Other files and folders that no decoder may read. */
  privatePaths?: readonly string[];
  log: Logger;
  mode?: SandboxMode;
  limits?: Partial<SandboxLimits>;
  /** The folders in which the tools are searched, once. Default: the process's PATH. */
  path?: string;
  /** Why this process can open no file now; undefined when it can. Default: it opens one. */
  exhaustion?: () => Promise<unknown>;
}

/** Characters. */
export const MAX_STDERR = 8192;

type SandboxedChild = ChildProcessByStdio<null, Readable, Readable>;

/**
 * A child process in an empty folder, without this process's environment, in a process group of its own that is killed whole;
 * on Linux with prlimit (util-linux): processor time, memory, threads, open files, no core, and no file written at all; and
 * with the best isolation that holds here (isolation-level.ts).
 * @throws ConfigError when isolation is required and does not hold.
 */
export function createMediaSandbox({ scratchFolder, privatePaths = [], log, mode = 'auto', limits, path = process.env['PATH'] ?? '', exhaustion = fileExhaustion }: MediaSandboxOptions): MediaSandbox {
  const effective = { ...DEFAULT_SANDBOX_LIMITS, ...limits };
  const tools = { ffmpeg: findExecutable('ffmpeg', path), ffprobe: findExecutable('ffprobe', path) };
  const confinement = chooseConfinement({
    mode,
    limits: effective,
    log,
    scratchFolder,
    privatePaths: [scratchFolder, ...privatePaths],
    ffprobe: tools.ffprobe,
    perl: findExecutable('perl', path),
    prlimit: findExecutable('prlimit', path),
  });
  log.info(tools, 'media tools');
  return {
    level: confinement.level,
    async run(tool, args, { file, signal }) {
      signal.throwIfAborted();
      const executable = tools[tool];
      if (!executable) throw new AppError({ kind: 'internal', code: 'internal', message: `${tool} is not installed.` });
      const folder = await mkdtemp(join(scratchFolder, `${tool}-`));
      const input = await open(file, 'r').catch(async (error: unknown) => {
        await removeScratch(folder);
        throw error;
      });
      const cleanUp = () => Promise.all([input.close(), removeScratch(folder)]);
      // No event is awaited from here on: Node drops the output of a process that ends before anything listens.
      const child = await started(() => {
        if (confinement.users) letUserRead(input.fd);
        return start(confine(confinement, executable, args), input.fd, folder);
      }, cleanUp);
      return supervise(child, { signal, limits: effective, cleanUp, exhaustion });
    },
  };
}

/** Without a free descriptor a child has no process and no pipes; an event says why. @throws why it did not start, after `cleanUp` */
async function started(begin: () => SandboxedChild, cleanUp: () => Promise<unknown>): Promise<SandboxedChild> {
  try {
    const child = begin();
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    return child;
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

const start = ({ command, args, options }: ConfinedCommand, input: number, folder: string) =>
  spawn(command, args, {
    ...options,
    cwd: folder,
    env: { LC_ALL: 'C', HOME: folder, TMPDIR: folder },
    stdio: [input, 'pipe', 'pipe'],
    detached: true,
  }) as SandboxedChild;

interface Supervision {
  signal: AbortSignal;
  limits: Pick<SandboxLimits, 'deadlineMs'>;
  cleanUp: () => Promise<unknown>;
  exhaustion: () => Promise<unknown>;
}

function supervise(child: SandboxedChild, { signal, limits, cleanUp, exhaustion }: Supervision): SandboxRun {
  const deadline = AbortSignal.timeout(limits.deadlineMs);
  let isKilled = false;
  const stop = AbortSignal.any([signal, deadline]);
  const kill = () => {
    isKilled = true;
    killGroup(child.pid);
  };
  stop.addEventListener('abort', kill, { once: true });
  if (stop.aborted) kill();

  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(0, MAX_STDERR)));
  const closed = new Promise<SandboxEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killedBy) => {
      if (signal.aborted) reject(signal.reason as Error);
      else if (code !== 0 && stderr.startsWith(LAUNCH_FAILED)) reject(notLaunched(`The media ${stderr.trim()}`, stderr));
      else if (code === LOADER_FAILED && isLoaderOutOfFiles(stderr)) reject(notLaunched(NO_DESCRIPTOR, stderr));
      else if (code !== 0 && stderr.includes(OUT_OF_FILES)) resolve(outOfFiles(exhaustion));
      else if (killedBy === 'SIGKILL' && !isKilled) reject(killedBySystem());
      else if (deadline.aborted || killedBy !== null || code === null || code === FFMPEG_STOPPED_BY_SIGNAL) resolve({ kind: 'limited', stderr });
      // A refused allocation after which the tool continues is not an error here.
      else if (code !== 0 && stderr.includes(OUT_OF_MEMORY)) resolve({ kind: 'limited', stderr });
      else resolve({ kind: 'exited', code, stderr });
    });
  });
  const end = closed.finally(async () => {
    stop.removeEventListener('abort', kill);
    await cleanUp();
  });
  // Awaited only after stdout has been read; until then a failure must not count as unhandled.
  end.catch(() => undefined);
  return { stdout: readOrKill(child.stdout, kill, end), end };
}

/**
 * Linux kills processes when memory runs out, whatever they need themselves, so the recording is not at fault and the task is tried
 * again. A tool that uses up its processor time ends by SIGXCPU; only one that ignores that for five seconds is taken for such a process.
 */
const killedBySystem = (): AppError => new AppError({ kind: 'internal', code: 'internal', message: 'The system killed the media tool, perhaps because memory ran out.', retryable: true });

/** ffmpeg catches SIGXCPU and leaves with this code. */
const FFMPEG_STOPPED_BY_SIGNAL = 255;

/** Prefix of the launcher's errors in `@parlance/platform/isolation`. */
const LAUNCH_FAILED = 'sandbox: ';

const NO_DESCRIPTOR = 'The machine has no file descriptor left for the media tools.';

/** ld.so exits so, before the tool has read anything. 23 is the number of ENFILE, which is no limit of the run. */
const LOADER_FAILED = 127;
const LOADER_OUT_OF_FILES = 'cannot open shared object file: Error 23';
const isLoaderOutOfFiles = (stderr: string): boolean => {
  const [first = ''] = stderr.split('\n', 1);
  return first.includes('error while loading shared libraries') && first.endsWith(LOADER_OUT_OF_FILES);
};

/** ENFILE in the words of LC_ALL=C. */
const OUT_OF_FILES = 'Too many open files in system';

/**
 * The tool's words may come from the recording, so they alone make no outage, whose tries would not count: this process must
 * find the shortage too. @throws AppError internal
 */
async function outOfFiles(exhaustion: () => Promise<unknown>): Promise<never> {
  throw new AppError({ kind: 'internal', code: 'internal', message: NO_DESCRIPTOR, cause: await exhaustion() });
}

async function fileExhaustion(): Promise<unknown> {
  try {
    await (await open('/dev/null')).close();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** An outage if the cause is one, else a defect. */
const notLaunched = (message: string, stderr: string): AppError => new AppError({ kind: 'internal', code: 'internal', message, cause: printedExhaustion(stderr) });

/** ENOMEM in the words of LC_ALL=C: its exit code differs between versions. */
const OUT_OF_MEMORY = 'Cannot allocate memory';

/** When its reader is done, the process is gone and its folder too. */
async function* readOrKill(stdout: Readable, kill: () => void, end: Promise<SandboxEnd>): AsyncGenerator<Uint8Array> {
  try {
    yield* stdout as AsyncIterable<Uint8Array>;
  } finally {
    if (!stdout.readableEnded) kill();
    await end.catch(() => undefined);
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/** The absolute path of a program. Folders of PATH that are relative are left out: they mean another program in another folder. */
export function findExecutable(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
