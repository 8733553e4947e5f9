import { WebSocket } from 'ws';

/** RFC 6455, section 7.4.1: a message that is too big. */
const TOO_BIG = 1009;

/** A socket that does not close by itself on a frame that is too large, but says so: the client gets an error message first. */
export class LiveWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    if (code === TOO_BIG && this.listenerCount('oversized') > 0) this.emit('oversized');
    else super.close(code, reason);
  }
}
