import type { Metadata, sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import { ServerGrpc } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';

type Call = ServerUnaryCall<unknown, unknown>;

/** With everything that Nest does around a controller's method. */
type Handler = (request: unknown, metadata: Metadata, call: Call) => Promise<unknown>;

/** Nest's gRPC server, whose answers to unary calls are not made observables first: ours are none, but for what the filter makes of an error. */
export class PlainGrpcServer extends ServerGrpc {
  override createUnaryServiceMethod(handler: Handler) {
    return (call: Call, send: sendUnaryData<unknown>): void => {
      answerOf(handler, call).then((message) => send(null, message), send);
    };
  }
}

async function answerOf(handler: Handler, call: Call): Promise<unknown> {
  const answer = await handler(call.request, call.metadata, call);
  return isObservable(answer) ? lastValueFrom(answer) : answer;
}
