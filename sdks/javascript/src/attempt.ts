import { ConnectionError, ParlanceError, TimeoutError, type TimeoutPhase } from './errors.js';

const MAX_TIMER_MS = 2 ** 31 - 1;

/** One request on the wire: ends it when a time-out passes or the caller aborts, and names the cause. */
export class Attempt {
  readonly #controller = new AbortController();
  readonly #abort = () => this.#controller.abort(this.caller?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param endsAt when the total time-out passes, by `performance.now()` */
  constructor(
    private readonly caller: AbortSignal | undefined,
    private endsAt: number,
    private readonly totalMs: number,
  ) {
    caller?.addEventListener('abort', this.#abort, { once: true });
    if (caller?.aborted) this.#abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the total time-out: a stream may take any time, and its reader may begin later. */
  liftTotal(): void {
    clearTimeout(this.#timer);
    this.endsAt = Infinity;
  }

  /** Begins to wait for something that may take this long; what was waited for before has come. */
  expect(phase: TimeoutPhase, milliseconds: number): void {
    clearTimeout(this.#timer);
    const left = this.endsAt - performance.now();
    const isTotal = milliseconds === 0 || left < milliseconds;
    const limit = isTotal ? left : milliseconds;
    const error = isTotal ? new TimeoutError('total', this.totalMs) : new TimeoutError(phase, milliseconds);
    if (limit < MAX_TIMER_MS) this.#timer = setTimeout(() => this.#controller.abort(error), Math.max(limit, 0));
  }

  /** The next piece of the body, which has to come within the read time-out. */
  async read(reader: ReadableStreamDefaultReader<Uint8Array>, milliseconds: number): Promise<Uint8Array | undefined> {
    this.expect('read', milliseconds);
    const { value } = await this.run(() => this.#orAborted(reader.read()));
    return value;
  }

  /** Runs a part of the request. @throws the reason of the abort, or ConnectionError with this message */
  async run<T>(work: () => Promise<T>, message = 'The connection to the server broke before the end of the answer.'): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.signal.aborted) throw this.signal.reason;
      throw error instanceof ParlanceError ? error : new ConnectionError(message, { cause: error });
    }
  }

  /** Ends what still runs; a caller that has everything has nothing to lose. */
  close(): void {
    clearTimeout(this.#timer);
    this.caller?.removeEventListener('abort', this.#abort);
    this.#controller.abort();
  }

  /** Some runtimes do not end the reading of a body by the signal of its request. */
  #orAborted<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const abort = () => reject(this.signal.reason);
      this.signal.addEventListener('abort', abort, { once: true });
      if (this.signal.aborted) abort();
      work.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', abort));
    });
  }
}
