import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { AppError, type Logger } from '@parlance/platform';

export type MediaTool = 'ffmpeg' | 'ffprobe';

export interface SandboxLimits {
  /** Processor time of one run. */
  cpuSeconds: number;
  addressSpaceBytes: number;
  /** Milliseconds one run may take. */
  deadlineMs: number;
}

export const DEFAULT_SANDBOX_LIMITS: SandboxLimits = { cpuSeconds: 1800, addressSpaceBytes: 2 * 1024 ** 3, deadlineMs: 3_600_000 };

/**
 * Of one run, where all runs for a recording together have so many minutes: wide enough that those are over first, which is
 * media_timeout, though ffmpeg keeps several cores busy. What nobody waits for any more still ends.
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

/** Runs ffmpeg and ffprobe on media that nobody has vouched for. */
export interface MediaSandbox {
  /** @throws AppError internal when the tool is not installed. */
  run(tool: MediaTool, args: readonly string[], signal: AbortSignal): Promise<SandboxRun>;
}

export interface MediaSandboxOptions {
  /** Each run gets an empty folder of its own in here, gone when it ends. */
  scratchFolder: string;
  log: Logger;
  limits?: Partial<SandboxLimits>;
  /** Where the tools are looked for. Default: the process's PATH. */
  path?: string;
}

const MAX_STDERR = 8192;

/**
 * A child process in an empty folder, without this process's environment, in a process group of its own that is killed
 * whole, and on Linux with prlimit (util-linux): processor time, memory, open files, no core, and no file written at all.
 */
export function createMediaSandbox({ scratchFolder, log, limits, path = process.env['PATH'] ?? '' }: MediaSandboxOptions): MediaSandbox {
  const effective = { ...DEFAULT_SANDBOX_LIMITS, ...limits };
  const prlimit = findExecutable('prlimit', path);
  if (!prlimit) log.warn('prlimit is not installed: ffmpeg runs without limits on processor time and memory');
  return {
    async run(tool, args, signal) {
      signal.throwIfAborted();
      const executable = findExecutable(tool, path);
      if (!executable) throw new AppError({ kind: 'internal', code: 'internal', message: `${tool} is not installed.` });
      const folder = await mkdtemp(join(scratchFolder, `${tool}-`));
      const [command = executable, ...rest] = prlimit ? [prlimit, ...limitFlags(effective), '--', executable, ...args] : [executable, ...args];
      const child = spawn(command, rest, {
        cwd: folder,
        env: { LC_ALL: 'C', HOME: folder, TMPDIR: folder },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      return supervise(child, { signal, deadlineMs: effective.deadlineMs, cleanUp: () => rm(folder, { recursive: true, force: true }) });
    },
  };
}

const limitFlags = ({ cpuSeconds, addressSpaceBytes }: SandboxLimits): string[] => [
  // The soft limit ends it with a signal that says why, the hard one five seconds later for certain.
  `--cpu=${cpuSeconds}:${cpuSeconds + 5}`,
  `--as=${addressSpaceBytes}`,
  '--fsize=0',
  '--core=0',
  '--nofile=64',
];

interface Supervision {
  signal: AbortSignal;
  deadlineMs: number;
  cleanUp: () => Promise<void>;
}

function supervise(child: ChildProcessByStdio<null, Readable, Readable>, { signal, deadlineMs, cleanUp }: Supervision): SandboxRun {
  const deadline = AbortSignal.timeout(deadlineMs);
  const stop = AbortSignal.any([signal, deadline]);
  const kill = () => killGroup(child.pid);
  stop.addEventListener('abort', kill, { once: true });
  if (stop.aborted) kill();

  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(0, MAX_STDERR)));
  const closed = new Promise<SandboxEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killedBy) => {
      if (signal.aborted) reject(signal.reason as Error);
      else if (deadline.aborted || killedBy !== null || code === null || code === FFMPEG_STOPPED_BY_SIGNAL) resolve({ kind: 'limited', stderr });
      // One block that it does without and goes on is none of ours.
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

/** ffmpeg catches SIGXCPU and leaves with this code. */
const FFMPEG_STOPPED_BY_SIGNAL = 255;

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

function findExecutable(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((candidate) => {
      try {
        accessSync(candidate, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
