import { AppError } from '@parlance/platform';
import type { FastifyReply } from 'fastify';
import type { KeyEndings } from '../keys/key-endings.js';

/** Made once: the trace that a new one takes is dear beside most answers. */
const GONE = new AppError({ kind: 'canceled', code: 'client_gone', message: 'The client has its answer, or went without.' });

/** Answers that stay open: each ends when its client goes or its key does, and all of them when the server stops. */
export class OpenStreams {
  private readonly stopping = new AbortController();

  constructor(private readonly keys: Pick<KeyEndings, 'watch'>) {}

  /** Aborted when this answer has nobody to go to, or the server stops. */
  signalFor({ raw, request }: FastifyReply): AbortSignal {
    const gone = new AbortController();
    if (raw.destroyed) gone.abort(GONE);
    // Of the answer, not of the connection: that outlives it, and would keep a listener for each.
    raw.once('close', () => gone.abort(GONE));
    if (request.caller && !raw.destroyed) raw.once('close', this.keys.watch(request.caller.keyId, () => gone.abort(GONE)));
    return AbortSignal.any([gone.signal, this.stopping.signal]);
  }

  close(): void {
    this.stopping.abort();
  }
}
