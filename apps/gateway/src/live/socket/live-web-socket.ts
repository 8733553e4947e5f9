import { WebSocket } from 'ws';

/** RFC 6455, section 7.4.1: a message that is too big. */
const TOO_BIG = 1009;

/** A socket that does not close by itself on a frame that is too large, but says so: the client gets an error message first. */
export class LiveWebSocket extends WebSocket {
  private isOversized = false;

  /** Sets the largest frame of this connection. The library has one limit for all connections of a server, and no public property for this one. */
  allowFrames(bytes: number): void {
    const receiver: unknown = Reflect.get(this, '_receiver');
    if (typeof receiver === 'object' && receiver !== null) Reflect.set(receiver, '_maxPayload', bytes);
  }

  override close(code?: number, reason?: string | Buffer): void {
    // The listener may close with the same code, which then closes.
    if (code !== TOO_BIG || this.isOversized || this.listenerCount('oversized') === 0) return super.close(code, reason);
    this.isOversized = true;
    this.emit('oversized');
  }
}
