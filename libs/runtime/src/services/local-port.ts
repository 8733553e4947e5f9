import { setImmediate as nextTurn } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import type { CallOptions, MessageType, MethodDefinition, ServiceDefinition, ServicePort } from '@parlance/contracts';
import { AppError, interruptible, toAppError, type Span } from '@parlance/platform';
import { endClientSpan, startClientSpan } from '../grpc/client-trace.js';
import { statusOf } from '../grpc/grpc-errors.js';
import { inCallersContext } from './in-callers-context.js';
import { callCanceled, callLimits, callTimedOut, onAbort, serviceUnavailable, type CallLimits } from './outgoing-call.js';
import { pathOf, type IncomingCall, type ServedService } from './served-service.js';

/** Calls in one turn of the event loop. A caller in a loop of answers that need no I/O would otherwise keep timers and sockets waiting. */
const CALLS_PER_TURN = 64;

/** One service of this process, for callers in the same process: calls go to the object that implements it. */
export class LocalService {
  private readonly served = new Map<string, ServedService>();
  private readonly running = new Set<LocalCall>();
  private readonly idle: (() => void)[] = [];
  private callsThisTurn = 0;
  private stopped = false;

  serve(service: ServedService): void {
    this.served.set(service.definition.fullName, service);
  }

  /** Each side has messages of its own: they are copied, with protobuf's defaults for what is left out. */
  port<D extends ServiceDefinition>(definition: D): ServicePort<D> {
    const methods = Object.entries(definition.methods).map(([name, method]) => {
      const call = (request: unknown, options: CallOptions = {}) =>
        method.responseStream ? this.stream(definition, name, request, options) : this.answer(definition, name, request, options);
      return [name, call];
    });
    return Object.fromEntries(methods) as ServicePort<D>;
  }

  /** Accepts no more calls, and cuts off those that run longer than that. */
  async drain(graceMs: number): Promise<void> {
    this.stopped = true;
    if (this.running.size === 0) return;
    const ended = Promise.withResolvers<void>();
    this.idle.push(ended.resolve);
    const late = setTimeout(ended.resolve, graceMs);
    await ended.promise;
    clearTimeout(late);
    for (const call of this.running) call.stop(serviceUnavailable());
  }

  private async answer(definition: ServiceDefinition, name: string, request: unknown, options: CallOptions): Promise<unknown> {
    const { requestType, responseType } = methodOf(definition, name);
    const call = this.begin(definition, name, options);
    try {
      const service = await this.take(call, definition);
      return copy(responseType, await call.orStopped(service.answer(name, copy(requestType, request), call)));
    } catch (error) {
      throw call.fail(error);
    } finally {
      this.end(call);
    }
  }

  private async *stream(definition: ServiceDefinition, name: string, request: unknown, options: CallOptions): AsyncGenerator<unknown> {
    const { requestType, requestStream, responseType } = methodOf(definition, name);
    const call = this.begin(definition, name, options);
    let messages: AsyncGenerator<unknown> | undefined;
    try {
      const service = await this.take(call, definition);
      const sent = requestStream ? copies(requestType, interruptible(inCallersContext(request as AsyncIterable<unknown>), call.signal)) : copy(requestType, request);
      messages = service.stream(name, sent, call);
      for (let next = await call.orStopped(messages.next()); !next.done; next = await call.orStopped(messages.next())) yield copy(responseType, next.value);
    } catch (error) {
      throw call.fail(error);
    } finally {
      call.stop(callCanceled());
      // Not waited for: the method may be waiting for something that takes no notice of the signal.
      messages?.return(undefined).catch(() => undefined);
      this.end(call);
    }
  }

  private begin(definition: ServiceDefinition, name: string, options: CallOptions): LocalCall {
    const call = new LocalCall(startClientSpan(pathOf(definition, name)), callLimits(options, methodOf(definition, name).responseStream));
    this.running.add(call);
    return call;
  }

  /** @throws AppError unavailable when the service has not started or has stopped */
  private async take(call: LocalCall, { fullName }: ServiceDefinition): Promise<ServedService> {
    if (this.callsThisTurn === 0) setImmediate(() => (this.callsThisTurn = 0));
    this.callsThisTurn += 1;
    if (this.callsThisTurn > CALLS_PER_TURN) await nextTurn();
    call.signal.throwIfAborted();
    const service = this.served.get(fullName);
    if (!service || this.stopped) throw serviceUnavailable();
    return service;
  }

  private end(call: LocalCall): void {
    call.end();
    this.running.delete(call);
    if (this.running.size === 0) for (const wake of this.idle.splice(0)) wake();
  }
}

/** One call, from both ends: the caller's limits, and the signal that aborts when the call is over. */
class LocalCall implements IncomingCall {
  readonly deadline: number;
  private readonly over = new AbortController();
  private readonly waiting = new Set<(reason: unknown) => void>();
  private readonly unbind: () => void;
  private readonly late: NodeJS.Timeout | undefined;
  private code = status.OK;

  constructor(
    private readonly span: Span,
    { deadline, signals }: CallLimits,
  ) {
    this.deadline = deadline;
    if (deadline !== Infinity) this.late = setTimeout(() => this.stop(callTimedOut()), Math.max(0, deadline - Date.now()));
    this.unbind = onAbort(signals, () => this.stop(callCanceled()));
    if (deadline <= Date.now()) this.stop(callTimedOut());
  }

  get signal(): AbortSignal {
    return this.over.signal;
  }

  get traceparent(): string {
    return this.span.traceparent;
  }

  stop(reason: AppError): void {
    this.over.abort(reason);
    for (const reject of this.waiting) reject(this.signal.reason);
  }

  /** Not Promise.race with one promise for the whole call: that promise would keep a reference to every message until the call ends. */
  orStopped<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.waiting.add(reject);
    work.then(resolve, reject);
    if (this.signal.aborted) reject(this.signal.reason);
    return promise.finally(() => this.waiting.delete(reject));
  }

  /** The error as a caller in another process would get it: without the cause, which is the service's own matter. */
  fail(thrown: unknown): AppError {
    const { kind, code, message, retryable, fields, reason, retryAfter } = toAppError(thrown);
    const error = new AppError({ kind, code, message, retryable, fields, ...(reason !== undefined && { reason }), ...(retryAfter !== undefined && { retryAfter }) });
    this.code = statusOf(error);
    return error;
  }

  end(): void {
    clearTimeout(this.late);
    this.unbind();
    endClientSpan(this.span, this.code);
  }
}

function methodOf({ fullName, methods }: ServiceDefinition, name: string): MethodDefinition {
  const method = methods[name];
  if (!method) throw new TypeError(`${fullName} has no method ${name}`);
  return method;
}

const copy = (type: MessageType, message: unknown): unknown => type.fromPartial(message as never);

async function* copies(type: MessageType, messages: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const message of messages) yield copy(type, message);
}
