import { PassThrough } from 'node:stream';
import { abortError } from '../speech/engine-errors.js';
import type { StreamingEvent } from './streaming-recognizer.js';

/** Events that wait for their reader before audio is read on. */
const MAX_UNREAD_EVENTS = 64;

/**
 * Yields the events that the work writes, until it ends. Its signal aborts with `signal`, and when the reader leaves.
 * @throws what the work throws; what the abort of `signal` means
 */
export async function* eventsWritten(signal: AbortSignal, work: (events: PassThrough, signal: AbortSignal) => Promise<void>): AsyncGenerator<StreamingEvent> {
  if (signal.aborted) throw abortError(signal);
  const left = new AbortController();
  const either = AbortSignal.any([signal, left.signal]);
  const events = new PassThrough({ objectMode: true, highWaterMark: MAX_UNREAD_EVENTS });
  const done = work(events, either)
    .then(() => events.end())
    .catch((error: unknown) => events.destroy(either.aborted ? abortError(either) : (error as Error)));
  try {
    yield* events;
  } finally {
    left.abort();
    await done;
  }
}
