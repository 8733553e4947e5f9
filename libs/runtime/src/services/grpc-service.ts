import { once } from 'node:events';
import type { sendUnaryData, Server, ServerDuplexStream, ServerUnaryCall, ServerWritableStream, UntypedServiceImplementation } from '@grpc/grpc-js';
import { AppError } from '@parlance/platform';
import { toGrpcError } from '../grpc/grpc-errors.js';
import { grpcMethods } from './grpc-methods.js';
import type { IncomingCall, ServedService } from './served-service.js';

type UnaryCall = ServerUnaryCall<unknown, unknown>;
type StreamCall = ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>;

/** Created once: every answered call aborts with it, and the stack of a new error costs more than the rest of the call. */
const CALL_OVER = new AppError({ kind: 'canceled', code: 'canceled', message: 'The call was canceled.' });

/** Lets a gRPC server answer the calls of a service. */
export function addToServer(server: Server, service: ServedService): void {
  const methods = grpcMethods(service.definition);
  const handlers = Object.entries(methods).map(([name, { requestStream, responseStream }]) => {
    const isStream = requestStream || responseStream;
    return [name, isStream ? (call: StreamCall) => void stream(service, name, call) : (call: UnaryCall, send: sendUnaryData<unknown>) => answer(service, name, call, send)];
  });
  server.addService(methods, Object.fromEntries(handlers) as UntypedServiceImplementation);
}

function answer(service: ServedService, method: string, call: UnaryCall, send: sendUnaryData<unknown>): void {
  service.answer(method, call.request, incoming(call)).then(
    (response) => send(null, response),
    (error: unknown) => send(toGrpcError(error)),
  );
}

/** Sends the messages no faster than the client reads them. */
async function stream(service: ServedService, method: string, call: StreamCall): Promise<void> {
  const from = incoming(call);
  const request = 'request' in call ? call.request : requestsOf(call);
  try {
    for await (const message of service.stream(method, request, from)) {
      if (from.signal.aborted) return;
      if (!call.write(message)) await once(call, 'drain', { signal: from.signal });
    }
    call.end();
  } catch (error) {
    if (!from.signal.aborted) call.emit('error', toGrpcError(error));
  }
}

/** Reading may end early without ending the call: the responses continue. */
const requestsOf = (call: ServerDuplexStream<unknown, unknown>): AsyncIterable<unknown> => call.iterator({ destroyOnReturn: false });

function incoming(call: UnaryCall | StreamCall): IncomingCall {
  const over = new AbortController();
  (call as UnaryCall).once('cancelled', () => over.abort(CALL_OVER));
  if (call.cancelled) over.abort(CALL_OVER);
  const [given] = call.metadata.get('traceparent');
  return { deadline: Number(call.getDeadline()), signal: over.signal, traceparent: typeof given === 'string' ? given : undefined };
}
