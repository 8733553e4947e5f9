import { addAbortSignal, type Readable } from 'node:stream';

/** The bytes of a stream until the signal aborts; then its reason is thrown. */
export async function* untilAborted(stream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  addAbortSignal(signal, stream);
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
