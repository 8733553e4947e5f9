import { AsyncLocalStorage } from 'node:async_hooks';
import { status } from '@grpc/grpc-js';
import type { ServiceDefinition } from '@parlance/contracts';
import { AppError, inCallScope, startSpan, toAppError, type CallScope, type Logger, type Span } from '@parlance/platform';
import { statusOf } from '../grpc/grpc-errors.js';
import type { CallMetrics } from '../metrics/call-metrics.js';
import type { Implementation } from './implementation.js';

/** The limits and the trace context that come with a call. */
export interface IncomingCall extends CallScope {
  /** Trace context of the caller; undefined begins a trace. */
  traceparent: string | undefined;
}

interface ServedServiceOptions {
  /** Name of the service, for spans and metrics. */
  service: string;
  metrics: CallMetrics;
  log: Logger;
}

/** Failures of the service itself; the others are the caller's. */
const FAILURES: ReadonlySet<AppError['kind']> = new Set(['internal', 'unavailable', 'timeout']);

/**
 * A service of this process. Both adapters call it through here, so that a call has the same span, measurement, deadline,
 * cancellation and errors whichever way it came. Methods run in the asynchronous context of the service, not in the caller's.
 * @see OpenTelemetry semantic conventions for gRPC server spans
 */
export class ServedService {
  private readonly inServiceContext = AsyncLocalStorage.snapshot();

  constructor(
    private readonly implementation: Implementation,
    private readonly options: ServedServiceOptions,
  ) {}

  get definition(): ServiceDefinition {
    return this.implementation.definition;
  }

  /** @throws AppError */
  async answer(method: string, request: unknown, call: IncomingCall): Promise<unknown> {
    const running = this.begin(method, call);
    try {
      const answer = await running.run(() => this.invoke(method, request, call));
      running.end();
      return answer;
    } catch (error) {
      throw running.fail(error);
    }
  }

  /** @param request an async iterable where the method takes a stream @throws AppError */
  async *stream(method: string, request: unknown, call: IncomingCall): AsyncGenerator<unknown> {
    const running = this.begin(method, call);
    let messages: AsyncIterator<unknown> | undefined;
    try {
      messages = running.run(() => (this.invoke(method, request, call) as AsyncIterable<unknown>)[Symbol.asyncIterator]());
      for (;;) {
        const next = await running.run(() => messages?.next());
        if (!next || next.done) break;
        yield next.value;
      }
      running.end();
    } catch (error) {
      throw running.fail(error);
    } finally {
      running.leave();
      await running.run(() => messages?.return?.());
    }
  }

  private invoke(name: string, request: unknown, { signal }: IncomingCall): unknown {
    const method = this.implementation.methods[name];
    if (!method) throw new AppError({ kind: 'internal', code: 'internal', message: `The service does not implement ${name}.` });
    return method(request, { signal });
  }

  private begin(name: string, call: IncomingCall): RunningCall {
    const { service, metrics, log } = this.options;
    const method = pathOf(this.definition, name).slice(1);
    const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': method };
    return this.inServiceContext(() => {
      const span = startSpan(method, { kind: 'server', service, parent: call.traceparent ?? 'none', attributes });
      return new RunningCall(span, metrics.begin(service, method), call, this.inServiceContext, log);
    });
  }
}

/** The path of a method, as gRPC sends it: `/parlance.ingest.v1.JobService/GetJob`. */
export const pathOf = ({ fullName, methods }: ServiceDefinition, method: string): string => `/${fullName}/${methods[method]?.name ?? method}`;

class RunningCall {
  private open = true;

  constructor(
    private readonly span: Span,
    private readonly measured: (code: string) => void,
    private readonly call: IncomingCall,
    private readonly inServiceContext: <T>(work: () => T) => T,
    private readonly log: Logger,
  ) {}

  run<T>(work: () => T): T {
    return this.inServiceContext(() => this.span.run(() => inCallScope(this.call, work)));
  }

  end(code = status.OK, failure?: string): void {
    if (!this.open) return;
    this.open = false;
    this.measured(status[code]);
    this.span.set({ 'rpc.response.status_code': status[code] });
    this.span.end(failure);
  }

  /** The caller left the loop over the answers. */
  leave(): void {
    this.end(status.CANCELLED);
  }

  /** A method that fails after the caller has canceled fails with the reason of the cancellation. */
  fail(thrown: unknown): AppError {
    const error = toAppError(this.call.signal.aborted ? this.call.signal.reason : thrown);
    if (error.kind === 'internal') this.run(() => this.log.error({ err: error.cause ?? error }, 'a call of the service failed'));
    const code = statusOf(error);
    this.end(code, FAILURES.has(error.kind) ? status[code] : undefined);
    return error;
  }
}
