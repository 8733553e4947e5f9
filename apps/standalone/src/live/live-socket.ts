import { EventEmitter, on } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { LIVE_PROTOCOL, LIVE_TOKEN_PREFIX, serverMessage, type ServerMessage } from '@parlance/contracts';
import { WebSocket } from 'ws';
import type { ConnectionEnd } from './live-error.js';

const HANDSHAKE_TIMEOUT_MS = 15_000;
/** The server sends something each second while audio comes, and answers pings always. */
const SILENCE_LIMIT_MS = 20_000;
const PING_EACH_MS = 5000;

/** One connection of a live session. */
export class LiveSocket {
  /** Resolves once the connection is over. */
  readonly ended: Promise<ConnectionEnd>;
  private readonly socket: WebSocket;
  private error: ConnectionEnd['error'];

  constructor(url: string, token: string) {
    this.socket = new WebSocket(url, [LIVE_PROTOCOL, `${LIVE_TOKEN_PREFIX}${token}`], { handshakeTimeout: HANDSHAKE_TIMEOUT_MS, maxPayload: 16 * 1024 * 1024 });
    // An error is followed by the close, which says what is needed.
    this.socket.on('error', () => undefined);
    let refusal: number | undefined;
    this.ended = new Promise((resolve) => this.socket.once('close', (code) => resolve({ code: refusal ?? code, ...(this.error && { error: this.error }) })));
    this.socket.once('unexpected-response', (request, response: IncomingMessage) => {
      refusal = closeCodeOf(response.statusCode ?? 500);
      request.destroy();
      this.socket.terminate();
    });
    this.endWhenSilent();
  }

  /** Until the connection ends. Messages of a later version of the protocol are left out. */
  async *messages(): AsyncGenerator<ServerMessage> {
    const frames = new EventEmitter();
    this.socket.on('message', (data) => frames.emit('frame', data)).once('close', () => frames.emit('end'));
    for await (const [data] of on(frames, 'frame', { close: ['end'] }) as AsyncIterable<[Buffer]>) {
      const { data: message } = serverMessage.safeParse(JSON.parse(String(data)));
      if (message?.type === 'error') this.error = message;
      if (message) yield message;
    }
  }

  /** Resolves once the bytes are with the operating system. @returns false when the connection is over */
  send(data: Uint8Array | string): Promise<boolean> {
    return new Promise((resolve) => this.socket.send(data, (error) => resolve(error == null)));
  }

  close(): void {
    this.socket.close(1000);
  }

  /** A connection whose other end was lost without a word is ended, so that another one can be made. */
  private endWhenSilent(): void {
    let heardAt = performance.now();
    for (const event of ['open', 'message', 'ping', 'pong']) this.socket.on(event, () => (heardAt = performance.now()));
    const timer = setInterval(() => {
      if (performance.now() - heardAt > SILENCE_LIMIT_MS) this.socket.terminate();
      else if (this.socket.readyState === WebSocket.OPEN) this.socket.ping();
    }, PING_EACH_MS);
    this.socket.once('close', () => clearInterval(timer));
  }
}

/** The close code of the HTTP status that a server, or a proxy before it, refused the upgrade with. */
const closeCodeOf = (status: number): number => (status === 429 || status >= 502 ? 1013 : 4000 + status);
