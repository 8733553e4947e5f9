import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { printedExhaustion } from '@parlance/platform';
import { abortError, engineFailed } from '../engine-errors.js';

const STDERR_TAIL = 8_192;
/** Characters of each of the two results; a chunk of five minutes has some thousands. */
const MAX_RESULT = 4_194_304;

/** The decoder reads the list of its utterances from a pipe, and writes its results to pipes, that SCRIPT opens. */
const PIPED_FILES = ['-ctl', '/dev/fd/0', '-ctm', '/dev/fd/1', '-hyp', '/dev/fd/6'];

/**
 * Runs the decoder with pipes in place of its files, below normal priority. The decoder does not check its writes: on a full
 * disk it cuts its results short and ends with status 0. Node's own pipes are sockets, which Linux does not open by a path; a
 * shell's are pipes. Descriptor 3 is Node's for the hypotheses, 4 its standard output, 5 the status. A core dump would have what was said in clear.
 */
const SCRIPT = `ulimit -c 0
exec 4>&1
exit "$(exec 5>&1
{ { { cat 3>&- 4>&- 5>&- 6>&- 7>&- | nice -n 10 "$@" 3>&- 4>&- 5>&-; echo "$?" >&5; } 6>&1 1>&7 | cat >&3; } 7>&1 | cat >&4; })"`;

interface PocketsphinxResults {
  /** A line for each word with its time. */
  ctm: string;
  /** A line for each utterance. */
  hypotheses: string;
}

/** A decoder, which loads its models and waits for the list of its utterances. */
export class RunningPocketsphinx {
  private readonly child: ChildProcess;
  private readonly ctm: () => string;
  private readonly hypotheses: () => string;
  private readonly log: () => string;
  private readonly closed: Promise<[code: number | null, killedBy: NodeJS.Signals | null]>;
  private hasEnded = false;

  constructor(binary: string, args: readonly string[]) {
    this.child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', binary, ...args, ...PIPED_FILES], {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env: { LC_ALL: 'C', PATH: process.env['PATH'] },
      detached: true,
    });
    const { stdin, stdout, stderr, stdio } = this.child;
    // Without a free descriptor it has no pipes, and an event says why.
    this.ctm = textOf(stdout, MAX_RESULT);
    this.hypotheses = textOf(stdio?.[3] as Readable | null | undefined, MAX_RESULT);
    this.log = textOf(stderr, STDERR_TAIL);
    // Its status says why a decoder takes no list.
    stdin?.on('error', () => {});
    this.closed = once(this.child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    void this.closed.catch(() => {}).then(() => (this.hasEnded = true));
  }

  /**
   * Lets it decode the utterances, to its end. An abort kills it with SIGKILL and the promise settles only when the process is gone,
   * so that its files may be removed.
   * @throws AppError engine_failed (cannot start, non-zero exit, killed by someone else), or what the abort means.
   */
  async decode(utteranceIds: readonly string[], signal: AbortSignal): Promise<PocketsphinxResults> {
    const kill = () => this.kill();
    if (signal.aborted) kill();
    signal.addEventListener('abort', kill);
    this.child.stdin?.end(utteranceIds.map((id) => `${id}\n`).join(''));
    try {
      const [code, killedBy] = await this.closed;
      if (signal.aborted) throw abortError(signal);
      const failure = failureOf(code, killedBy, this.log());
      if (failure !== undefined) throw failure;
      return { ctm: this.ctm(), hypotheses: this.hypotheses() };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall?.startsWith('spawn') !== true) throw error;
      throw engineFailed(`pocketsphinx could not be started (${(error as NodeJS.ErrnoException).code ?? 'error'}).`, { cause: error });
    } finally {
      signal.removeEventListener('abort', kill);
    }
  }

  /** Settles when the process is gone. */
  async end(): Promise<void> {
    this.kill();
    await this.closed.catch(() => {});
  }

  private kill(): void {
    const { pid } = this.child;
    if (pid === undefined || this.hasEnded) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
}

/** Collects the last characters of a stream. Cuts only at twice the limit, since each cut copies what it keeps. */
function textOf(stream: Readable | null | undefined, max: number): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    if (text.length > 2 * max) text = text.slice(-max);
  });
  return () => text.slice(-max);
}

function failureOf(code: number | null, killedBy: NodeJS.Signals | null, log: string) {
  if (code === 0) return undefined;
  const name = killedBy ?? signalOf(code);
  if (name !== undefined) return engineFailed(`pocketsphinx was killed by ${name}.`, { cause: printedExhaustion(log) });
  return engineFailed(`pocketsphinx ended with status ${code}${lastError(log)}.`, { cause: printedExhaustion(log) });
}

/** A shell reports a command that a signal ended as 128 and the signal's number. */
const signalOf = (code: number | null): string | undefined => Object.entries(constants.signals).find(([, number]) => number + 128 === code)?.[0];

/** The decoder's last complaint: `ERROR: "acmod.c", line 83: Folder 'x' does not contain …` without file and line. */
function lastError(log: string): string {
  const line = log
    .split('\n')
    .filter((entry) => /^(ERROR|FATAL)\b/.test(entry))
    .at(-1);
  const text = line?.replace(/^\w+:\s*("[^"]*", line \d+:\s*)?/, '').trim();
  return text === undefined || text === '' ? '' : `: ${text.slice(0, 200)}`;
}
