import { WebSocket } from 'ws';

/** RFC 6455, section 7.4.1: a message that is too big. */
const TOO_BIG = 1009;

/** A socket that does not close by itself on a frame that is too large, but says so once: the client gets an error message first. */
export class LiveWebSocket extends WebSocket {
  private saidOversized = false;

  override close(code?: number, reason?: string | Buffer): void {
    // Listeners close the socket with the same code.
    if (code !== TOO_BIG || this.saidOversized || this.listenerCount('oversized') === 0) return super.close(code, reason);
    this.saidOversized = true;
    this.emit('oversized');
  }
}
