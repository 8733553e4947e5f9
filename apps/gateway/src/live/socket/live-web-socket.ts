import { AppError } from '@parlance/platform';
import { WebSocket } from 'ws';
import { closeCodeOf } from './close-codes.js';
import { MessageRate } from './message-rate.js';

/** RFC 6455, section 7.4.1: a message that is too big. */
const TOO_BIG = 1009;
/** Bytes that wait for the client to read them, after which the connection is closed. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * The connection of every socket protocol. It does not close by itself on a frame that is too large, but says so, as the client gets an
 * error message first (`oversized`); and it refuses a client that does not read what is sent, or that sends too many pings (`refused`).
 */
export class LiveWebSocket extends WebSocket {
  private isOversized = false;
  private isRefused = false;
  private readonly pings = new MessageRate();

  /** Sets the largest frame of this connection. The library has one limit for all connections of a server, and no public property for this one. */
  allowFrames(bytes: number): void {
    const receiver: unknown = Reflect.get(this, '_receiver');
    if (typeof receiver === 'object' && receiver !== null) Reflect.set(receiver, '_maxPayload', bytes);
  }

  override send(data: Parameters<WebSocket['send']>[0], ...rest: unknown[]): void {
    super.send(data, ...(rest as []));
    this.requireReader();
  }

  /** The library answers each ping by it. */
  override pong(...args: Parameters<WebSocket['pong']>): void {
    try {
      this.pings.count();
    } catch (error) {
      return this.refuse(error as AppError);
    }
    super.pong(...args);
    this.requireReader();
  }

  override close(code?: number, reason?: string | Buffer): void {
    // The listener may close with the same code, which then closes.
    if (code !== TOO_BIG || this.isOversized || this.listenerCount('oversized') === 0) return super.close(code, reason);
    this.isOversized = true;
    this.emit('oversized');
  }

  private requireReader(): void {
    if (this.bufferedAmount > MAX_UNREAD_BYTES) this.refuse(clientSlow());
  }

  private refuse(error: AppError): void {
    if (this.isRefused) return;
    this.isRefused = true;
    if (!this.emit('refused', error)) this.close(closeCodeOf(error), error.code);
  }
}

const clientSlow = () => new AppError({ code: 'live_client_slow', message: 'The client does not read what is sent to it.' });
