import type { WebSocket } from 'ws';
import { noAnswer, refusedConnection, unreachable } from './realtime-failure.js';
import { readServerEvent, type ServerEvent } from './server-event.js';

/** A delta or transcript is far shorter. */
const MAX_EVENT_BYTES = 2 ** 20;
const HANDSHAKE_MS = 15_000;
/** A server that reads no audio for this long has failed. */
const SEND_MS = 30_000;

export interface RealtimeServer {
  /** `wss://host/v1/realtime?intent=transcription`. */
  url: string;
  apiKey?: string;
}

interface ConnectionListener {
  onEvent(event: ServerEvent): void;
  /** Once. @param error why this process ended the connection; absent when it ended otherwise */
  onEnd(error?: Error): void;
}

/** One WebSocket to a server of the realtime transcription protocol. */
export class RealtimeConnection {
  private readonly openedAt = performance.now();

  private constructor(private readonly socket: WebSocket) {}

  /** @param session the configuration of a transcription session. @throws AppError engine_failed, engine_timeout */
  static async open({ url, apiKey }: RealtimeServer, session: object, listener: ConnectionListener, signal: AbortSignal): Promise<RealtimeConnection> {
    const { WebSocket } = await import('ws');
    const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
    const socket = new WebSocket(url, { headers, maxPayload: MAX_EVENT_BYTES, handshakeTimeout: HANDSHAKE_MS, perMessageDeflate: false });
    await opened(socket, signal);
    const connection = new RealtimeConnection(socket);
    connection.listen(listener);
    await connection.send({ type: 'session.update', session: { type: 'transcription', ...session } });
    return connection;
  }

  get ageMs(): number {
    return performance.now() - this.openedAt;
  }

  /** Settles when it has left this process. */
  append(pcm: Uint8Array): Promise<void> {
    return this.send({ type: 'input_audio_buffer.append', audio: Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString('base64') });
  }

  commit(): Promise<void> {
    return this.send({ type: 'input_audio_buffer.commit' });
  }

  close(): void {
    this.socket.removeAllListeners('message').removeAllListeners('close');
    this.socket.terminate();
  }

  private listen({ onEvent, onEnd }: ConnectionListener): void {
    this.socket.on('error', () => {}); // `close` follows
    this.socket.on('close', () => onEnd());
    this.socket.on('message', (data) => {
      try {
        const event = readServerEvent((data as Buffer).toString('utf8'));
        if (event) onEvent(event);
      } catch (error) {
        this.close();
        onEnd(error as Error);
      }
    });
  }

  private send(event: object): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(noAnswer()), SEND_MS);
    this.socket.send(JSON.stringify(event), (error) => (error ? reject(unreachable(error)) : resolve()));
    return promise.finally(() => clearTimeout(timer));
  }
}

/** An abort ends the handshake. */
function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  const abort = () => socket.terminate();
  signal.addEventListener('abort', abort, { once: true });
  return new Promise<void>((resolve, reject) => {
    socket.once('open', () => {
      socket.removeAllListeners();
      resolve();
    });
    socket.once('error', (error) => reject(unreachable(error)));
    socket.once('unexpected-response', (_request, response) => {
      const seconds = Number(response.headers['retry-after'] ?? NaN);
      response.destroy();
      socket.once('error', () => {});
      reject(refusedConnection(response.statusCode ?? 0, seconds >= 0 ? seconds : undefined));
    });
  }).finally(() => signal.removeEventListener('abort', abort));
}
