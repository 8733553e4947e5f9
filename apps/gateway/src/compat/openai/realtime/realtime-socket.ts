import { EventEmitter } from 'node:events';
import { serverMessage, type ClientMessage, type ServerMessage } from '@parlance/contracts';
import type { WebSocket } from 'ws';
import type { SessionSocket } from '../../../live/socket/session-socket.js';

/** Bytes of a piece of audio; a client may send more in one event than a session takes in one frame. */
const PIECE_BYTES = 64 * 1024;

interface RealtimeSocketOptions {
  onMessage(message: ServerMessage): void;
  /** The session takes audio again. */
  onRoom(): void;
}

/** The socket of a live session whose client speaks another protocol: it gets our messages, and gives us those of the client. */
export class RealtimeSocket extends EventEmitter implements SessionSocket {
  /** Frames before the session listens. */
  private readonly early: { data: Buffer; isBinary: boolean }[] = [];
  private isOver = false;
  /** The session takes no audio now. The connection itself is paused by what takes the client's events. */
  isPaused = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly options: RealtimeSocketOptions,
  ) {
    super();
    socket.on('ping', () => this.emit('ping'));
    this.on('newListener', (event) => event === 'message' && queueMicrotask(() => this.flush()));
  }

  readonly OPEN = 1;

  /** Open until the session closes it: a session is finished also when its client is gone. */
  get readyState(): number {
    return this.isOver ? 3 : this.OPEN;
  }

  get bufferedAmount(): number {
    return this.socket.bufferedAmount;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.options.onRoom();
  }

  send(text: string, onSent?: () => void): void {
    this.options.onMessage(serverMessage.parse(JSON.parse(text)));
    onSent?.();
  }

  close(code?: number, reason?: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.socket.close(code, reason);
    this.emit('close');
  }

  /** The client sends audio. */
  append(audio: Buffer): void {
    for (let at = 0; at < audio.byteLength; at += PIECE_BYTES) this.receive(audio.subarray(at, at + PIECE_BYTES), true);
  }

  /** The client asks for something. */
  say(message: ClientMessage): void {
    this.receive(Buffer.from(JSON.stringify(message)), false);
  }

  private receive(data: Buffer, isBinary: boolean): void {
    if (!this.isOver && !this.emit('message', data, isBinary)) this.early.push({ data, isBinary });
  }

  private flush(): void {
    for (const { data, isBinary } of this.early.splice(0)) this.emit('message', data, isBinary);
  }
}
