import type { FastifyRequest } from 'fastify';

/** Answers that stay open: each ends when its client goes, and all of them when the server stops. */
export class OpenStreams {
  private readonly stopping = new AbortController();

  /** Aborted when this answer has nobody to go to, or the server stops. */
  signalFor({ raw }: FastifyRequest): AbortSignal {
    const gone = new AbortController();
    if (raw.socket.destroyed) gone.abort();
    raw.socket.once('close', () => gone.abort());
    return AbortSignal.any([gone.signal, this.stopping.signal]);
  }

  close(): void {
    this.stopping.abort();
  }
}
