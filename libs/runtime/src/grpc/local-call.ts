import { EventEmitter } from 'node:events';
import { Metadata, status, type handleUnaryCall, type ServerUnaryCall, type StatusObject } from '@grpc/grpc-js';
import type { MethodMessages } from '@parlance/contracts';
import { freshnessOf, withFreshness, type LocalCallOptions, type Span } from '@parlance/platform';
import { endClientSpan, startClientSpan } from './client-trace.js';

export interface LocalMethod {
  path: string;
  messages: MethodMessages;
  handle: handleUnaryCall<unknown, unknown>;
}

/** Those of a service that run. */
interface RunningCalls {
  /** @returns false when timers and sockets are to have their turn first */
  mayBeginNow(): boolean;
  /** @returns false when no more calls are taken */
  begin(call: LocalCall, run: () => void): boolean;
  end(call: LocalCall): void;
}

/** What a handler's callback is given when it fails. */
type Failure = Partial<StatusObject> & { message?: string };

/**
 * One unary call within the process: both sides have messages of their own, the deadline ends it, and the handler hears when
 * the caller gives up. An answer brings its freshness along, where the handler gave one. What it does not share with a channel is in decision 36.
 */
export class LocalCall {
  private readonly outcome = Promise.withResolvers<unknown>();
  private readonly span: Span;
  private server: LocalServerCall | undefined;
  private late: NodeJS.Timeout | undefined;
  private ended = false;

  constructor(
    private readonly running: RunningCalls,
    private readonly method: LocalMethod,
    private readonly options: LocalCallOptions,
  ) {
    this.span = startClientSpan(method.path);
  }

  /** @throws Error with code and metadata, like grpc-js's ServiceError */
  async answerTo(like: unknown): Promise<unknown> {
    const { deadline, signals } = this.options;
    let request: unknown;
    try {
      request = this.method.messages.request(like);
    } catch (thrown) {
      this.fail(status.INTERNAL, `Error making the request: ${String(thrown)}`);
      return this.outcome.promise;
    }
    for (const signal of signals) signal.addEventListener('abort', this.onAbort);
    if (deadline !== Infinity) this.late = setTimeout(() => this.giveUp(status.DEADLINE_EXCEEDED, 'Deadline exceeded'), Math.max(0, deadline - Date.now()));
    if (signals.some(({ aborted }) => aborted)) this.onAbort();
    else if (deadline <= Date.now()) this.giveUp(status.DEADLINE_EXCEEDED, 'Deadline exceeded');
    else if (this.running.mayBeginNow()) this.run(request);
    else setImmediate(() => this.run(request));
    return this.outcome.promise;
  }

  /** The service stops before it has answered. */
  cutOff(): void {
    this.giveUp(status.CANCELLED, 'The server is stopping');
  }

  private readonly onAbort = () => this.giveUp(status.CANCELLED, 'Cancelled on client');

  private run(request: unknown): void {
    if (this.ended) return;
    const { path, handle } = this.method;
    const taken = this.running.begin(this, () => {
      const metadata = new Metadata();
      metadata.set('traceparent', this.span.traceparent);
      this.server = new LocalServerCall(path, request, metadata, this.options.deadline);
      try {
        handle(this.server as unknown as ServerUnaryCall<unknown, unknown>, (error, value, trailer) => this.answer(error, value, trailer));
      } catch (error) {
        // As grpc-js has it: the call fails, and not the process.
        if (!this.ended) this.fail(status.UNKNOWN, `Server method handler threw error ${String(error)}`);
      }
    });
    if (!taken) this.fail(status.UNAVAILABLE, 'The server has stopped');
  }

  private answer(error: Failure | null, value: unknown, trailer: Metadata | undefined): void {
    if (this.ended) return;
    // As grpc-js makes of it.
    if (error) return this.fail(error.code ?? status.UNKNOWN, error.details ?? error.message ?? 'Unknown Error', trailer ?? error.metadata);
    let response: unknown;
    try {
      response = this.method.messages.response(value);
    } catch (thrown) {
      return this.fail(status.INTERNAL, `Error making the response: ${String(thrown)}`);
    }
    this.end(status.OK);
    this.outcome.resolve(withFreshness(response as object, freshnessOf(value as object)));
  }

  private giveUp(code: status, details: string): void {
    if (this.ended) return;
    this.fail(code, details);
    this.server?.cancel();
  }

  private fail(code: status, details: string, metadata = new Metadata()): void {
    this.end(code);
    this.outcome.reject(Object.assign(new Error(`${code} ${status[code]}: ${details}`), { code, details, metadata }));
  }

  private end(code: status): void {
    this.ended = true;
    clearTimeout(this.late);
    for (const signal of this.options.signals) signal.removeEventListener('abort', this.onAbort);
    this.running.end(this);
    endClientSpan(this.span, code);
  }
}

/** What a handler sees of its call. */
class LocalServerCall extends EventEmitter {
  cancelled = false;

  constructor(
    private readonly path: string,
    readonly request: unknown,
    readonly metadata: Metadata,
    private readonly deadline: number,
  ) {
    super();
  }

  getPath(): string {
    return this.path;
  }

  getDeadline(): number {
    return this.deadline;
  }

  getPeer(): string {
    return 'local';
  }

  sendMetadata(): void {}

  cancel(): void {
    this.cancelled = true;
    this.emit('cancelled', 'cancelled');
  }
}
