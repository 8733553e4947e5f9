import { InterceptingCall, status, type Interceptor } from '@grpc/grpc-js';
import { startSpan, type Span } from '@parlance/platform';

/**
 * The span of a call to another service.
 * @param path of the method, as gRPC sends it
 * @see OpenTelemetry semantic conventions for gRPC client spans
 */
export function startClientSpan(path: string): Span {
  const method = path.slice(1);
  return startSpan(method, { kind: 'client', attributes: { 'rpc.system.name': 'grpc', 'rpc.method': method } });
}

export function endClientSpan(span: Span, code: status): void {
  span.set({ 'rpc.response.status_code': status[code] });
  span.end(code === status.OK || code === status.CANCELLED ? undefined : status[code]);
}

/** A span for each call through a channel, whose context travels with it. */
export function clientTrace(): Interceptor {
  return (options, nextCall) => {
    const span = startClientSpan(options.method_definition.path);
    return new InterceptingCall(nextCall(options), {
      start(metadata, _listener, next) {
        metadata.set('traceparent', span.traceparent);
        next(metadata, {
          onReceiveStatus(received, pass) {
            endClientSpan(span, received.code);
            pass(received);
          },
        });
      },
    });
  };
}
