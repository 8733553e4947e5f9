import {
  status,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type ServiceError,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { inCallScope, startSpan, type CallScope, type Span } from '@parlance/platform';
import type { CallMetrics } from '../metrics/call-metrics.js';
import { CALL_OVER } from './call-over.js';

type ServerCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

/** What the caller's fault is, or his wish, is no failure of the server. */
const FAILURES: ReadonlySet<status> = new Set([status.INTERNAL, status.UNKNOWN, status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.DATA_LOSS, status.UNIMPLEMENTED]);

/**
 * Whatever is added to the server from now on goes on with the caller's trace in a span for each call, is measured, and what
 * it calls itself ends with the call that it answers. Around Nest's handlers and not in interceptors of its, which take half as
 * much time again as all else that Nest does for a call.
 * @see OpenTelemetry semantic conventions for gRPC server spans
 */
export function observeCalls(server: Server, service: string, metrics: CallMetrics): void {
  const addService = server.addService.bind(server);
  server.addService = (definition, implementation) => addService(definition, new ObservedCalls(service, metrics).around(definition, implementation));
}

class ObservedCalls {
  constructor(
    private readonly service: string,
    private readonly metrics: CallMetrics,
  ) {}

  around(service: ServiceDefinition, implementation: UntypedServiceImplementation): UntypedServiceImplementation {
    const observed: UntypedServiceImplementation = {};
    for (const [name, { path, responseStream, originalName }] of Object.entries(service)) {
      const handle = (implementation[name] ?? implementation[originalName ?? name])?.bind(implementation);
      if (handle === undefined) continue;
      const method = path.slice(1);
      observed[name] = responseStream
        ? this.stream(method, handle as handleServerStreamingCall<unknown, unknown>)
        : this.unary(method, handle as handleUnaryCall<unknown, unknown>);
    }
    return observed;
  }

  private unary(method: string, handle: handleUnaryCall<unknown, unknown>): handleUnaryCall<unknown, unknown> {
    return (call, callback) => {
      const running = this.begin(method, call);
      running.run(() =>
        handle(call, (error, value, trailer, flags) => {
          running.end(error ? (error.code ?? status.UNKNOWN) : status.OK);
          callback(error, value, trailer, flags);
        }),
      );
    };
  }

  private stream(method: string, handle: handleServerStreamingCall<unknown, unknown>): handleServerStreamingCall<unknown, unknown> {
    return (call) => {
      const running = this.begin(method, call);
      call.once('error', (error: Partial<ServiceError>) => running.end(error.code ?? status.UNKNOWN));
      call.once('finish', () => running.end(status.OK));
      call.once('cancelled', () => running.end(status.CANCELLED));
      running.run(() => handle(call));
    };
  }

  private begin(method: string, call: ServerCall): RunningCall {
    const [given] = call.metadata.get('traceparent');
    return new RunningCall(this.spanOf(method, given), this.metrics.begin(this.service, method), new ServerCallScope(call));
  }

  private spanOf(method: string, given: string | Buffer | undefined): Span {
    const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': method };
    return startSpan(method, { kind: 'server', service: this.service, parent: typeof given === 'string' ? given : 'none', attributes });
  }
}

class RunningCall {
  private open = true;

  constructor(
    private readonly span: Span,
    private readonly measured: (code: string) => void,
    private readonly scope: CallScope,
  ) {}

  run(handle: () => void): void {
    this.span.run(() => inCallScope(this.scope, handle));
  }

  end(code: status): void {
    if (!this.open) return;
    this.open = false;
    this.measured(status[code]);
    this.span.set({ 'rpc.response.status_code': status[code] });
    this.span.end(FAILURES.has(code) ? status[code] : undefined);
  }
}

class ServerCallScope implements CallScope {
  readonly deadline: number;
  private gaveUp: AbortController | undefined;

  constructor(private readonly call: ServerCall) {
    this.deadline = Number(call.getDeadline());
  }

  /** Made for those who ask: most handlers call nobody. */
  get signal(): AbortSignal {
    if (this.gaveUp) return this.gaveUp.signal;
    const gaveUp = new AbortController();
    this.call.once('cancelled', () => gaveUp.abort(CALL_OVER));
    if (this.call.cancelled) gaveUp.abort(CALL_OVER);
    this.gaveUp = gaveUp;
    return gaveUp.signal;
  }
}
