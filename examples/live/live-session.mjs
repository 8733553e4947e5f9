// A live session that survives lost connections. Runs in browsers and in Node 22 or newer, with nothing to install.

const RECONNECT_PAUSE_MS = 500;
if (!globalThis.WebSocket) throw new Error('This needs Node 22 or newer: it has a WebSocket of its own. The repository has one: npx node …');

/** Audio in the socket's own queue above which the caller has to wait. */
const MAX_QUEUED_BYTES = 256 * 1024;
/** Audio that is kept for a reconnection above which the caller has to wait: about four minutes of 16 kHz samples. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/**
 * Keeps audio until the server has stored it, and sends it again after a lost connection from where the server says.
 *
 *   const session = new LiveSession({ url, newToken: async () => '…', onMessage: (message) => …});
 *   await session.send(bytes);
 *   const { transcription_id } = await session.finish();
 */
export class LiveSession {
  /** Audio that the server has not acknowledged, in order: { offset, bytes }. */
  #kept = [];
  /** Bytes of the session that were given to `send`. */
  #offset = 0;
  #lastSeq = 0;
  #finishing = false;
  #isFinished = false;
  #ready = false;
  #socket;

  /**
   * @param newToken returns a token that was not used: that of POST /live, afterwards those of POST /live/{id}/tokens.
   *   An error with a `status` from 400 to 499, other than 429, ends the session; after any other one it is called again.
   */
  constructor({ url, newToken, onMessage = () => {} }) {
    Object.assign(this, { url, newToken, onMessage });
    /** Resolves with the message `finished`; rejects when the session cannot be continued. */
    this.finished = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
    this.#connect();
  }

  /** The next bytes of the audio. Waits while the connection is slower than they come, or is lost for long. @throws Error when the session cannot be continued */
  async send(bytes) {
    const piece = { offset: this.#offset, bytes };
    this.#offset += bytes.length;
    this.#kept.push(piece);
    if (this.#ready) this.#socket.send(bytes);
    while (this.#mustWait()) await Promise.race([sleep(20), this.finished]);
  }

  /** Ends the utterance that is being said. */
  finalize() {
    this.#sendMessage({ type: 'finalize' });
  }

  /** Ends the session. @returns the message `finished` */
  finish() {
    this.#finishing = true;
    this.#sendMessage({ type: 'finish' });
    return this.finished;
  }

  #mustWait() {
    return !this.#isFinished && (this.#socket?.bufferedAmount > MAX_QUEUED_BYTES || this.#offset - (this.#kept[0]?.offset ?? this.#offset) > MAX_KEPT_BYTES);
  }

  async #connect() {
    try {
      const socket = new WebSocket(`${this.url}?after=${this.#lastSeq}`, ['parlance.v1', `token.${await this.newToken()}`]);
      socket.onmessage = ({ data }) => this.#receive(socket, JSON.parse(data));
      socket.onclose = () => this.#closed(socket);
      this.#socket = socket;
    } catch (error) {
      await this.#refused(error);
    }
  }

  /** No token came: the server is away or busy, or it refuses the session. */
  async #refused(error) {
    if (error.status >= 400 && error.status < 500 && error.status !== 429) return this.reject(error);
    await sleep(RECONNECT_PAUSE_MS);
    await this.#connect();
  }

  #receive(socket, message) {
    if (message.type === 'ready') this.#resume(socket, message.acknowledged_offset);
    if (message.type === 'ack') this.#drop(message.offset);
    if (message.type === 'error') socket.lastError = message;
    if (message.seq !== undefined) this.#lastSeq = message.seq;
    this.onMessage(message);
    if (message.type === 'finished') this.#end(message);
    // The server is about to stop; another one takes the session over.
    if (message.type === 'go_away') socket.close();
  }

  /** Sends what the server does not have, from exactly the byte that it names. */
  #resume(socket, acknowledged) {
    this.#drop(acknowledged);
    for (const { bytes } of this.#kept) socket.send(bytes);
    this.#ready = true;
    if (this.#finishing) this.#sendMessage({ type: 'finish' });
  }

  #end(message) {
    this.#isFinished = true;
    this.resolve(message);
  }

  #drop(acknowledged) {
    while (this.#kept[0] && this.#kept[0].offset + this.#kept[0].bytes.length <= acknowledged) this.#kept.shift();
    const [first] = this.#kept;
    if (first && first.offset < acknowledged) this.#kept[0] = { offset: acknowledged, bytes: first.bytes.subarray(acknowledged - first.offset) };
  }

  async #closed({ lastError }) {
    this.#ready = false;
    if (this.#isFinished) return;
    if (lastError && !lastError.retryable) return this.reject(new Error(`${lastError.code}: ${lastError.message}`));
    await sleep(lastError?.retry_after_ms ?? RECONNECT_PAUSE_MS);
    await this.#connect();
  }

  #sendMessage(message) {
    if (this.#ready) this.#socket.send(JSON.stringify(message));
  }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
