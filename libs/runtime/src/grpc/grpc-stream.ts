import { once } from 'node:events';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { Observable } from 'rxjs';
import { CALL_OVER } from './call-over.js';

/**
 * Answers a server-streaming call from an async iterable at the speed the client reads:
 * Nest alone would buffer everything an Observable emits while the connection is full. Errors go to the exception filter.
 * @param messages told by its signal when nobody waits for them any more, which it cannot see while it waits itself
 */
export function grpcStream<Request, Response>(
  call: ServerWritableStream<Request, Response>,
  messages: (over: AbortSignal) => AsyncIterable<Response>,
): Observable<Response> {
  return new Observable((subscriber) => {
    const closed = new AbortController();
    const stop = () => closed.abort(CALL_OVER);
    call.once('cancelled', stop);
    if (call.cancelled) stop();
    const run = async () => {
      for await (const message of messages(closed.signal)) {
        if (closed.signal.aborted) return;
        subscriber.next(message);
        if (call.writableNeedDrain) await once(call, 'drain', { signal: closed.signal });
      }
      subscriber.complete();
    };
    run().catch((error: unknown) => {
      if (!closed.signal.aborted) subscriber.error(error);
    });
    return () => {
      call.off('cancelled', stop);
      stop();
    };
  });
}
