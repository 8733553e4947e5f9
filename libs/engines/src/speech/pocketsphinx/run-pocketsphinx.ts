import { spawn, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { abortError, engineFailed } from '../engine-errors.js';

const STDERR_TAIL = 8_192;

/**
 * Runs the decoder to its end, below normal priority so that the services stay quick. An abort kills it with SIGKILL and
 * the promise settles only when the process is gone, so that its files may be removed.
 * @throws AppError engine_failed (cannot start, non-zero exit, killed by someone else), or what the abort means.
 */
export async function runPocketsphinx(binary: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw abortError(signal);
  const child: ChildProcess = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { LC_ALL: 'C' } });
  let log = '';
  // Without a free descriptor it has no pipes, and an event says why.
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-STDERR_TAIL);
  });
  lowerPriority(child.pid);
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  try {
    const end = await new Promise<{ code: number | null; killedBy: NodeJS.Signals | null }>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, killedBy) => resolve({ code, killedBy }));
    });
    if (signal.aborted) throw abortError(signal);
    if (end.killedBy !== null) throw engineFailed(`pocketsphinx was killed by ${end.killedBy}.`);
    if (end.code !== 0) throw engineFailed(`pocketsphinx ended with status ${end.code}${lastError(log)}.`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall?.startsWith('spawn') !== true) throw error;
    throw engineFailed(`pocketsphinx could not be started (${(error as NodeJS.ErrnoException).code ?? 'error'}).`, { cause: error });
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended already, or the sandbox forbids it: only politeness is lost.
  }
}

/** The decoder's last complaint: `ERROR: "acmod.c", line 83: Folder 'x' does not contain …` without file and line. */
function lastError(log: string): string {
  const line = log
    .split('\n')
    .filter((entry) => /^(ERROR|FATAL)\b/.test(entry))
    .at(-1);
  const text = line?.replace(/^\w+:\s*("[^"]*", line \d+:\s*)?/, '').trim();
  return text === undefined || text === '' ? '' : `: ${text.slice(0, 200)}`;
}
