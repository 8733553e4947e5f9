import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { clientMessage, LIVE_PROTOCOL, serverMessage, type ServerMessage } from '@parlance/contracts';
import { type WebSocket, WebSocketServer } from 'ws';

/** One connection of the session, as a test steers it. */
export interface LiveConnection {
  socket: WebSocket;
  /** Of the URL. */
  after: number;
  say(message: ServerMessage): void;
}

interface Behaviour {
  /** Called for each connection, counted from 1, after its `ready`. */
  connected?(connection: LiveConnection, count: number): void;
  /** Called after bytes were stored, or a message came. @returns false for bytes that are stored without `ack` */
  received?(connection: LiveConnection, count: number, type: 'audio' | 'finish' | 'keepalive'): boolean | void;
}

/** A server of one live session that keeps its audio in memory. What it sends and gets is checked by the protocol's schemas. */
export class LiveServer implements AsyncDisposable {
  audio = Buffer.alloc(0);
  connections = 0;
  tokens = 0;
  private readonly server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: (protocols) => (protocols.has(LIVE_PROTOCOL) ? LIVE_PROTOCOL : false) });

  private constructor(private readonly behaviour: Behaviour) {
    this.server.on('connection', (socket, request) => this.accept(socket, Number(new URL(request.url ?? '', 'ws://host').searchParams.get('after'))));
  }

  static async start(behaviour: Behaviour = {}): Promise<LiveServer> {
    const server = new LiveServer(behaviour);
    await once(server.server, 'listening');
    return server;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}/socket`;
  }

  async liveToken(): Promise<string> {
    this.tokens += 1;
    return `token-${this.tokens}`;
  }

  async liveOffset(): Promise<number> {
    return this.audio.byteLength;
  }

  async *liveEvents(_sessionId: string, after: number): AsyncGenerator<ServerMessage> {
    yield { type: 'finished', seq: after + 1, transcription_id: 'job_1', audio_ms: 0 };
  }

  private accept(socket: WebSocket, after: number): void {
    this.connections += 1;
    const count = this.connections;
    const connection = { socket, after, say: (message: ServerMessage) => socket.send(JSON.stringify(serverMessage.parse(message))) };
    const limits = { max_frame_bytes: 10_000, idle_ms: 60_000, max_session_ms: 3_600_000 };
    connection.say({ type: 'ready', session_id: 'job_1', generation: count, acknowledged_offset: this.audio.byteLength, last_seq: 0, mode: 'endpointed', engine: 'fixture', limits });
    this.behaviour.connected?.(connection, count);
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary && data.byteLength > limits.max_frame_bytes) return socket.close(4413);
      if (isBinary) return this.store(connection, count, data);
      const { type } = clientMessage.parse(JSON.parse(String(data)));
      if (type !== 'skip' && type !== 'finalize') this.behaviour.received?.(connection, count, type);
      if (type === 'finish') connection.say({ type: 'finished', seq: 100, transcription_id: 'job_1', audio_ms: 0 });
    });
  }

  private store(connection: LiveConnection, count: number, data: Buffer): void {
    this.audio = Buffer.concat([this.audio, data]);
    if (this.behaviour.received?.(connection, count, 'audio') === false) return;
    if (connection.socket.readyState === connection.socket.OPEN) connection.say({ type: 'ack', offset: this.audio.byteLength, audio_ms: 0, processed_ms: 0, lag_ms: 0, final_ms: 0 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.server.clients) client.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
