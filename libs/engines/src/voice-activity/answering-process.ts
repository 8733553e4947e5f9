import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { printedExhaustion, type AppError } from '@parlance/platform';
import { lastLine } from '../local-models/last-line.js';
import { lowerPriority } from '../lower-priority.js';
import { abortError, engineFailed } from '../speech/engine-errors.js';

/** It keeps next to nothing on its heap. */
const NODE_FLAGS = ['--max-semi-space-size=1'];

/** For a block of some seconds, which takes some milliseconds, and before the first one for the start. */
const ANSWER_MS = 120_000;

const LOG_TAIL = 8192;

const MAX_ANSWER_CHARACTERS = 65_536;

export interface AnsweringProcessOptions {
  /** After so long without an answer it is given up; default two minutes. */
  answerMs?: number | undefined;
  /** No answer is longer; default 65,536. */
  maxAnswerCharacters?: number;
  /** Runs it below the priority of this process: for recordings, whose callers wait longer than those of live sessions. */
  hasLowPriority?: boolean;
}

/**
 * A process that runs the voice activity model and answers one block of bytes at a time. A process and not a thread: the model's
 * runtime is memory that does not come back to who loaded it, and what ends or aborts it ends nothing else. It ends when its parent does.
 */
export class AnsweringProcess<Answer> {
  /** undefined when the system had no room for it. */
  private readonly child: ChildProcess | undefined;
  private readonly answerMs: number;
  private readonly maxAnswerCharacters: number;
  private readonly gone: Promise<unknown>;
  private asked: PromiseWithResolvers<Answer> | undefined;
  /** The part of an answer that has arrived so far. */
  private heard = '';
  private log = '';
  private readonly length = Buffer.alloc(4);
  private failure: AppError | undefined;

  /**
   * @param program takes the settings as JSON in its argument, and reads blocks after their length in bytes (u32le) on standard input
   * @param answers the JSON of one line on descriptor 3, one for each block
   */
  constructor(
    program: URL,
    settings: object,
    private readonly answers: z.ZodType<Answer>,
    { answerMs = ANSWER_MS, maxAnswerCharacters = MAX_ANSWER_CHARACTERS, hasLowPriority = false }: AnsweringProcessOptions = {},
  ) {
    this.answerMs = answerMs;
    this.maxAnswerCharacters = maxAnswerCharacters;
    this.child = this.started([...NODE_FLAGS, fileURLToPath(program), JSON.stringify(settings)]);
    this.gone = this.child ? once(this.child, 'close').catch(() => undefined) : Promise.resolve();
    if (!this.child) return;
    if (hasLowPriority) lowerPriority(this.child.pid);
    // A process that could not be started may have no pipes.
    const { stdin, stderr, stdio } = this.child;
    // The exit event reports that the process ended.
    stdin?.on('error', () => {});
    stderr?.setEncoding('utf8').on('data', (text: string) => (this.log = (this.log + text).slice(-LOG_TAIL)));
    (stdio?.[3] as Readable | undefined)?.setEncoding('utf8').on('data', (text: string) => this.hear(text));
    this.child.once('error', (error) => this.fail(notStarted(error)));
    this.child.once('close', (code, killedBy) => this.fail(this.ended(code, killedBy)));
  }

  /** The answer to a block, whose parts are read until the promise settles. An abort kills the process. @throws AppError engine_failed, what the abort means */
  async ask(parts: readonly Uint8Array[], signal: AbortSignal): Promise<Answer> {
    if (signal.aborted) throw abortError(signal);
    if (this.failure) throw this.failure;
    const asked = (this.asked = Promise.withResolvers<Answer>());
    const stop = () => this.fail(abortError(signal));
    signal.addEventListener('abort', stop, { once: true });
    const late = setTimeout(() => this.fail(engineFailed(`The voice activity detector did not answer within ${this.answerMs / 1000} seconds.`)), this.answerMs);
    try {
      this.send(parts);
      return await asked.promise;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', stop);
    }
  }

  /** True while it can judge another recording. */
  get alive(): boolean {
    return this.failure === undefined;
  }

  /** While `idle`, it does not keep this process from ending. */
  setIdle(idle: boolean): void {
    if (!this.child) return;
    // A process that could not be started may have no pipes.
    const pipes = (this.child.stdio ?? []) as (Socket | null | undefined)[];
    for (const handle of [this.child, ...pipes]) handle?.[idle ? 'unref' : 'ref']();
  }

  /** Whatever it is at. When the promise settles it is gone. */
  async close(): Promise<void> {
    this.fail(engineFailed('The process of the voice activity detector was ended.'));
    this.setIdle(false);
    this.child?.kill('SIGKILL');
    await this.gone;
  }

  /** Some failures are reported by an event; others, such as a lack of memory, are thrown at once. */
  private started(args: string[]): ChildProcess | undefined {
    try {
      // Answers have a pipe of their own, into which no library prints. Nothing of this process's environment, which holds secrets, is its business.
      return spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] } });
    } catch (error) {
      this.fail(notStarted(error));
      return undefined;
    }
  }

  /** Sends the number of bytes, then the bytes themselves. */
  private send(parts: readonly Uint8Array[]): void {
    const stdin = this.child?.stdin;
    this.length.writeUInt32LE(parts.reduce((bytes, { byteLength }) => bytes + byteLength, 0));
    stdin?.cork();
    stdin?.write(this.length);
    for (const part of parts) if (part.byteLength > 0) stdin?.write(part);
    stdin?.uncork();
  }

  /** An answer is a line. */
  private hear(text: string): void {
    if (this.failure) return;
    this.heard += text;
    const end = this.heard.indexOf('\n');
    if (end < 0 && this.heard.length <= this.maxAnswerCharacters) return;
    const answer = end === this.heard.length - 1 ? parsedAnswer(this.heard, this.answers) : undefined;
    this.heard = '';
    if (answer === undefined || !this.asked) return this.fail(engineFailed('The voice activity detector returned an invalid answer.'));
    this.asked.resolve(answer);
    this.asked = undefined;
  }

  private ended(code: number | null, killedBy: NodeJS.Signals | null): AppError {
    const how = killedBy === null ? `with status ${code}` : `by ${killedBy}`;
    return engineFailed(`The process of the voice activity detector ended ${how}${lastLine(this.log)}.`, { cause: printedExhaustion(this.log) });
  }

  private fail(error: AppError): void {
    this.failure ??= error;
    this.asked?.reject(this.failure);
    this.asked = undefined;
  }
}

const notStarted = (cause: unknown): AppError => engineFailed('The process of the voice activity detector could not be started.', { cause });

/** undefined: it is something else. */
function parsedAnswer<Answer>(line: string, answers: z.ZodType<Answer>): Answer | undefined {
  try {
    return answers.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
