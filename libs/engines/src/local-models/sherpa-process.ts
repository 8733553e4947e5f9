import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { printedExhaustion, type AppError } from '@parlance/platform';
import { lowerPriority } from '../lower-priority.js';
import { abortError, engineFailed } from '../speech/engine-errors.js';
import { lastLine } from './last-line.js';

/** The worker writes it to standard error after each answer: what stands before it was said while it worked. */
const END_OF_ANSWER = '\u0004\n';
const LOG_TAIL = 8192;
/** sherpa-onnx catches the exceptions of ONNX Runtime while decoding and answers with an empty result; only its log contains them. */
const SWALLOWED = /Caught exception/;

interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (error: AppError) => void;
  answer?: { value: unknown };
}

/**
 * A process that runs a model of sherpa-onnx, one question at a time. A process and not a thread: sherpa-onnx ends its
 * whole process (`_Exit`) on a wrong model or language, ONNX Runtime aborts it on a damaged file, and native work of a
 * thread cannot be cut off. It ends when its parent does.
 */
export class SherpaProcess {
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  private readonly loaded: Promise<void>;
  private waiting: Waiting | undefined;
  private log = '';
  /** The log until the end of the last answer, once it was read. */
  private said: string | undefined;
  private failure: AppError | undefined;
  private everLoaded = false;

  /** @param program a worker of this folder's kind. @param load what it gets first: models and their settings. */
  constructor(
    program: URL,
    load: object,
    private readonly what: string,
  ) {
    // Nothing of this process's environment, which holds secrets, is its business.
    this.child = fork(program, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [], env: { PATH: process.env['PATH'] } });
    this.exited = once(this.child, 'exit').catch(() => undefined);
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => this.hear(text));
    this.child.on('message', (value) => {
      if (!this.waiting) return;
      this.waiting.answer = { value };
      this.settle();
    });
    this.child.once('error', (error) => this.fail(engineFailed(`The process of ${this.what} could not be started.`, { cause: error })));
    this.child.once('close', (code, killedBy) => this.fail(this.ended(code, killedBy)));
    lowerPriority(this.child.pid);
    this.loaded = this.exchange({ load }).then(
      () => {
        this.everLoaded = true;
      },
      (error: AppError) => {
        this.fail(error);
        void this.close();
        throw error;
      },
    );
    // Callers get the error from their own call; a failure that no call waits for is ignored.
    this.loaded.catch(() => {});
  }

  /** True while it can be called again. */
  get alive(): boolean {
    return this.failure === undefined;
  }

  /**
   * Asks for work, once the model is loaded. An abort kills the process, and the promise settles when it is gone.
   * @throws AppError engine_failed: not retryable when the model cannot be loaded; what the abort means.
   */
  async ask(question: object, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) throw abortError(signal);
    const kill = () => void this.close();
    signal.addEventListener('abort', kill, { once: true });
    try {
      await this.loaded;
      return await this.exchange(question);
    } catch (error) {
      if (!signal.aborted) throw error;
      await this.exited;
      throw abortError(signal);
    } finally {
      signal.removeEventListener('abort', kill);
    }
  }

  async close(): Promise<void> {
    // Rejects at once, so that no caller gets a process that is about to end.
    this.fail(engineFailed(`The process of ${this.what} was ended.`));
    this.child.kill('SIGKILL');
    await this.exited;
  }

  private exchange(message: object): Promise<unknown> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      // Without a free descriptor it has no channel, and the error event says why.
      if (this.child.pid === undefined) return;
      this.child.send(message, (error) => error && this.fail(engineFailed(`The process of ${this.what} cannot be reached.`, { cause: error })));
    });
  }

  private hear(text: string): void {
    this.log += text;
    const end = this.log.lastIndexOf(END_OF_ANSWER);
    if (end >= 0) {
      this.said = this.log.slice(0, end);
      this.log = this.log.slice(end + END_OF_ANSWER.length);
    }
    if (this.log.length > LOG_TAIL) this.log = this.log.slice(-LOG_TAIL);
    this.settle();
  }

  /** An answer counts once all that was logged while it was made has been read. */
  private settle(): void {
    if (!this.waiting?.answer || this.said === undefined) return;
    const { resolve, reject, answer } = this.waiting;
    const { said } = this;
    this.waiting = undefined;
    this.said = undefined;
    const error = (answer.value as { error?: unknown } | null)?.error;
    // A model that cannot be loaded stays unusable.
    if (typeof error === 'string') reject(engineFailed(`The process of ${this.what} failed${lastLine(error)}.`, { retryable: this.everLoaded, cause: printedExhaustion(error) }));
    else if (SWALLOWED.test(said)) reject(engineFailed(`The process of ${this.what} failed while it decoded.`, { cause: printedExhaustion(said) }));
    else resolve(answer.value);
  }

  private ended(code: number | null, killedBy: NodeJS.Signals | null): AppError {
    const how = killedBy === null ? `with status ${code}` : `by ${killedBy}`;
    return engineFailed(`The process of ${this.what} ended ${how}${lastLine(this.log)}.`, {
      // Killed from outside, say for want of memory: another try may go better. What cannot be loaded stays so.
      retryable: this.everLoaded || killedBy === 'SIGKILL',
      cause: printedExhaustion(this.log),
    });
  }

  private fail(error: AppError): void {
    this.failure ??= error;
    this.waiting?.reject(this.failure);
    this.waiting = undefined;
  }
}
