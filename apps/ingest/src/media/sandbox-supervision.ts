import type { ChildProcessByStdio } from 'node:child_process';
import { open } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { AppError, printedExhaustion } from '@parlance/platform';
import type { SandboxLimits } from './confinement.js';

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

/** Characters. */
export const MAX_STDERR = 8192;

export type SandboxedChild = ChildProcessByStdio<Writable | null, Readable, Readable>;

const NEVER = new AbortController().signal;

export interface Supervision {
  signal: AbortSignal;
  limits: Pick<SandboxLimits, 'deadlineMs'>;
  cleanUp: () => Promise<unknown>;
  exhaustion: () => Promise<unknown>;
}

export function supervise(child: SandboxedChild, { signal, limits, cleanUp, exhaustion }: Supervision): SandboxRun {
  const deadline = limits.deadlineMs === Infinity ? NEVER : AbortSignal.timeout(limits.deadlineMs);
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

export async function fileExhaustion(): Promise<unknown> {
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

/** @param signal SIGXCPU ends a process as the limit of processor time does */
export function killGroup(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It is gone already.
  }
}
