// The socket of a live session, over as many connections as it takes: each begins with the byte that the server asks for.

/** Two minutes of 16 kHz: longer than a session waits for its client. */
const MAX_KEPT_BYTES = 4_000_000;
/** Bytes that the browser may hold before the rest waits. */
const MAX_BUFFERED = 256 * 1024;
const SEND_EACH_MS = 100;
const MAX_PAUSE_MS = 5000;
/** The server acknowledges each second of audio. */
const SILENCE_LIMIT_MS = 20_000;
/** A token is used once, so that one of a broken connection says nothing of the session. */
const TOKEN_CODE = 4401;
const RESUMABLE = new Set([1000, 1001, 1005, 1006, 1011, 1012, 1013, TOKEN_CODE, 4500]);

export class LiveSocket {
  /** Blocks that are not acknowledged; the first begins at `#start`. */
  #blocks = [];
  #start = 0;
  #end = 0;
  #sent = 0;
  #lastSeq = 0;
  #isComplete = false;

  /**
   * @param url of the socket, without a query
   * @param token gives one for each connection. @throws Error with `status` when the server refuses it
   * @param onMessage called with each message; lasting ones come once
   */
  constructor({ url, token, resumeWithinMs, onMessage }) {
    Object.assign(this, { url, token, resumeWithinMs, onMessage });
  }

  /** @throws RangeError when too much waits for the server */
  write(block) {
    if (this.#end - this.#start + block.byteLength > MAX_KEPT_BYTES) throw new RangeError('The server is too slow, or has been away for too long.');
    this.#blocks.push(new Uint8Array(block));
    this.#end += block.byteLength;
  }

  /** Ends the session once everything that was written is sent. */
  finish() {
    this.#isComplete = true;
  }

  /** Connects until the session is finished. @throws Error when it cannot go on */
  async run() {
    let reachedAt = performance.now();
    for (let failures = 1; ; failures += 1) {
      const end = await this.#connection();
      if (end.isFinished) return;
      if (end.wasReady) [reachedAt, failures] = [performance.now(), 1];
      if (end.code !== TOKEN_CODE && !(end.error?.retryable ?? RESUMABLE.has(end.code))) throw new Error(end.error?.message ?? `The server closed the connection (${end.code}).`);
      if (performance.now() - reachedAt > this.resumeWithinMs) throw new Error('The server was away for too long.');
      const pause = Math.min(MAX_PAUSE_MS, 100 * 2 ** failures) * (0.5 + Math.random() / 2);
      await new Promise((resolve) => setTimeout(resolve, Math.max(pause, end.error?.retry_after_ms ?? 0)));
    }
  }

  async #connection() {
    let token;
    try {
      token = await this.token();
    } catch (error) {
      // It was finished on a connection that broke.
      if (error.status === 410 && this.#isComplete) return { isFinished: true };
      if (error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
      return { code: 1006 };
    }
    const socket = new WebSocket(`${this.url}?after=${this.#lastSeq}`, ['parlance.v1', `token.${token}`]);
    const end = { isFinished: false, wasReady: false, receivedAt: performance.now() };
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(data), socket, end));
    const { code } = await closeOf(socket, end);
    clearInterval(end.timer);
    return { ...end, code };
  }

  #receive(message, socket, end) {
    if (end.isLost) return;
    end.receivedAt = performance.now();
    if (message.type === 'ready') {
      end.wasReady = true;
      this.#acknowledge(message.acknowledged_offset);
      this.#sent = message.acknowledged_offset;
      end.timer = setInterval(() => this.#send(socket, message.limits.max_frame_bytes, end), SEND_EACH_MS);
    }
    if (message.type === 'ack') this.#acknowledge(message.offset);
    if (message.type === 'error') end.error = message;
    if (message.type === 'go_away') socket.close();
    if (message.type === 'finished') end.isFinished = true;
    if (message.seq !== undefined && message.seq <= this.#lastSeq) return;
    this.#lastSeq = message.seq ?? this.#lastSeq;
    this.onMessage(message);
  }

  /** Forgets what the server has stored. */
  #acknowledge(offset) {
    while (this.#start < offset) {
      const [first] = this.#blocks;
      const part = Math.min(first.byteLength, offset - this.#start);
      if (part === first.byteLength) this.#blocks.shift();
      else this.#blocks[0] = first.subarray(part);
      this.#start += part;
    }
  }

  #send(socket, maxFrame, end) {
    if (socket.readyState !== WebSocket.OPEN || end.hasFinished) return;
    for (let at = this.#start, index = 0; index < this.#blocks.length; at += this.#blocks[index++].byteLength) {
      const block = this.#blocks[index];
      while (this.#sent < at + block.byteLength && this.#sent >= at) {
        if (socket.bufferedAmount > MAX_BUFFERED) return;
        const frame = block.subarray(this.#sent - at, this.#sent - at + maxFrame);
        socket.send(frame);
        this.#sent += frame.byteLength;
      }
    }
    if (!this.#isComplete || this.#sent < this.#end) return;
    end.hasFinished = true;
    socket.send(JSON.stringify({ type: 'finish' }));
  }
}

/** The close of the socket, or of a connection whose other end was lost: browsers wait long for the answer to their own close. */
function closeOf(socket, end) {
  return new Promise((resolve) => {
    socket.addEventListener('close', resolve);
    const watch = setInterval(() => {
      if (performance.now() - end.receivedAt > SILENCE_LIMIT_MS) {
        end.isLost = true;
        socket.close();
        resolve({ code: 1006 });
      }
      if (socket.readyState >= WebSocket.CLOSING) clearInterval(watch);
    }, 1000);
  });
}
