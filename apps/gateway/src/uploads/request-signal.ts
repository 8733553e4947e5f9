import { addAbortSignal, type Readable } from 'node:stream';
import { AppError } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';
import type { KeyEndings } from '../keys/key-endings.js';
import { watchUpload, type UploadPace } from './upload-pace.js';

export interface UploadWatch {
  /** Aborted when the upload is too slow, its key ends, its account is disabled, or its client goes away. */
  signal: AbortSignal;
  stop(): void;
}

/** Watches a request whose body may take days. @param maxBytes what it may have when it does not say how long it is */
export function watchRequest({ raw }: FastifyRequest, keyId: string, keys: Pick<KeyEndings, 'watch'>, pace: UploadPace, maxBytes: number): UploadWatch {
  const paceWatch = watchUpload(raw, pace, maxBytes);
  const end = new AbortController();
  const unwatchKey = keys.watch(keyId, (why) => end.abort(why));
  const onClose = () => {
    if (!raw.complete) end.abort(new AppError({ kind: 'invalid', code: 'malformed_request', message: 'The request ended before it was complete.' }));
  };
  raw.once('close', onClose);
  const stop = () => {
    raw.off('close', onClose);
    unwatchKey();
    paceWatch.stop();
  };
  return { signal: AbortSignal.any([paceWatch.signal, end.signal]), stop };
}

/** The bytes of a stream until the signal aborts; then its reason is thrown. */
export async function* untilAborted(stream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  addAbortSignal(signal, stream);
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
