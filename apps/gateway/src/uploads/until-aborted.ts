import { addAbortSignal, PassThrough, type Readable } from 'node:stream';

/**
 * The bytes of a request until the signal aborts; then its reason is thrown. The request itself is not destroyed, because its
 * connection would be as well, and the client would get no answer.
 * @param signal aborts also when the request ends before it is complete
 */
export async function* untilAborted(request: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* request.pipe(addAbortSignal(signal, new PassThrough())) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
