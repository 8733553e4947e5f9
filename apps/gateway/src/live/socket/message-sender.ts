import type { ServerMessage } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { CLOSE, errorMessage } from './close-codes.js';
import type { LiveProtocol } from './live-protocol.js';
import { parlanceProtocol } from './parlance-protocol.js';
import type { SessionSocket } from './session-socket.js';

/** Bytes that wait for the client to read them, after which partials are left out, and replays wait. */
const PARTIALS_BYTES = 64 * 1024;
const REPLAY_BYTES = 256 * 1024;

/** Sends the messages of one connection. */
export class MessageSender {
  private isOver = false;

  constructor(
    private readonly socket: Pick<SessionSocket, 'send' | 'close' | 'bufferedAmount' | 'readyState' | 'OPEN'>,
    readonly requestId: string,
    readonly protocol: LiveProtocol = parlanceProtocol,
  ) {}

  /** Set once the connection is being closed: nothing more is sent. */
  get isClosed(): boolean {
    return this.isOver || this.socket.readyState !== this.socket.OPEN;
  }

  send(message: ServerMessage): void {
    if (this.isClosed || (message.type === 'partial' && this.socket.bufferedAmount > PARTIALS_BYTES)) return;
    for (const frame of this.protocol.write(message)) this.socket.send(frame);
  }

  /** Sends no faster than the client reads. */
  async replay(message: ServerMessage): Promise<void> {
    if (this.isClosed) return;
    const sent = this.protocol.write(message).map((frame) => new Promise<void>((resolve) => this.socket.send(frame, () => resolve())));
    if (this.socket.bufferedAmount > REPLAY_BYTES) await Promise.all(sent);
  }

  finish(): void {
    this.end(CLOSE.normal, 'finished');
  }

  /** The server is about to stop. */
  restart(): void {
    this.send(errorMessage(STOPPING, this.requestId));
    this.end(CLOSE.restart, 'restart');
  }

  /** Says why, and closes. @returns the close code */
  fail(error: unknown): number {
    this.send(errorMessage(error, this.requestId));
    const { code, reason } = this.protocol.closing(error);
    this.end(code, reason);
    return code;
  }

  private end(code: number, reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.socket.close(code, reason);
  }
}

const STOPPING = new AppError({ code: 'service_unavailable', message: 'The server is about to stop. Connect again.', retryAfter: 1 });
