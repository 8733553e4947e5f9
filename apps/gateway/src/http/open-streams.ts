import type { Socket } from 'node:net';
import { AppError } from '@parlance/platform';
import type { FastifyReply } from 'fastify';
import { credentialOf, type Caller } from '../keys/authenticator.js';
import { callerOf } from '../keys/key-guard.js';
import type { KeyEndings } from '../keys/key-endings.js';
import type { StreamSlots } from './stream-slots.js';

/** Made once: the trace that a new one takes is dear beside most answers. */
const GONE = new AppError({ kind: 'canceled', code: 'client_gone', message: 'The client disconnected, or the answer is complete.' });

/** Answers that stay open: each ends when its client goes or its key or link does, and all of them when the server stops. */
export class OpenStreams {
  private readonly stopping = new AbortController();
  private readonly connections = new WeakSet<Socket>();

  constructor(
    private readonly keys: Pick<KeyEndings, 'watch'>,
    private readonly slots: Pick<StreamSlots, 'take'>,
  ) {}

  /** The signal of an answer that may stay open for long, which counts against the limits of its key and account. @throws AppError too_many_streams */
  async hold(reply: FastifyReply): Promise<AbortSignal> {
    const caller = callerOf(reply.request);
    const release = caller.isInternal ? () => {} : await this.slots.take(caller);
    if (reply.raw.destroyed) release();
    else reply.raw.once('close', release);
    return this.signalFor(reply);
  }

  /**
   * Counts the connection of a socket protocol against the limits of its key and account until it is closed. A second call changes nothing.
   * @throws AppError too_many_streams
   */
  async holdConnection(connection: Socket, caller: Pick<Caller, 'keyId' | 'accountId' | 'token'>): Promise<void> {
    if (this.connections.has(connection)) return;
    const release = await this.slots.take(caller);
    this.connections.add(connection);
    if (connection.destroyed) release();
    else connection.once('close', release);
  }

  /** Aborts when the client disconnects or the server shuts down. */
  signalFor({ raw, request }: FastifyReply): AbortSignal {
    const gone = new AbortController();
    if (raw.destroyed) gone.abort(GONE);
    // Listens to the response, not to the connection, which outlives it and would keep a listener for each response.
    raw.once('close', () => gone.abort(GONE));
    const credential = endingCredential(request);
    if (credential !== null && !raw.destroyed) raw.once('close', this.keys.watch(credential, () => gone.abort(GONE)));
    return AbortSignal.any([gone.signal, this.stopping.signal]);
  }

  close(): void {
    this.stopping.abort();
  }
}

/** The id of the key, token or link whose end also ends its answers; null: none, as for the key of this process, which is in no store. */
function endingCredential({ caller, link }: FastifyReply['request']): string | null {
  if (caller?.isInternal) return null;
  return caller ? credentialOf(caller) : (link?.id ?? null);
}
