import { ApiError, ConnectionError, LiveSessionError, ParlanceError, TimeoutError, UnexpectedResponseError } from '../errors.js';
import type { LiveFinal, LiveFinished, LiveGap, LiveMessage, LivePartial, LiveProblem } from './messages.js';
import { UnacknowledgedAudio } from './unacknowledged-audio.js';
import { pauseBefore, sleep } from '../retries.js';

const PROTOCOL = 'parlance.v1';
const FRAME_BYTES = 64 * 1024;
/** Audio in the socket's own queue above which `send` waits. */
const MAX_QUEUED_BYTES = 256 * 1024;
/** Unacknowledged audio above which `send` waits: about four minutes of 16 kHz samples. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
const WAIT_MS = 20;
const CONNECT_MS = 15_000;
const KEEPALIVE_MS = 20_000;
/** Attempts to connect again without any success, over half a minute. */
const DEFAULT_RETRIES = 8;

export interface LiveHandlers {
  onPartial?: (partial: LivePartial) => void;
  onFinal?: (final: LiveFinal) => void;
  /** Called where audio is missing. */
  onGap?: (gap: LiveGap) => void;
  onMessage?: (message: LiveMessage) => void;
  /** Called when the connection was lost, before it is opened again. */
  onReconnect?: (cause: Error) => void;
}

export interface LiveSessionOptions extends LiveHandlers {
  /** The `url` of `POST /live`. */
  url: string;
  /** Returns a token that was not used: that of `POST /live`, then those of `POST /live/{id}/tokens`. */
  newToken: () => Promise<string>;
  /** The messages behind this one of a session that has ended, such as those of `GET /live/{id}/events`. */
  rest?: (after: number) => AsyncIterable<LiveMessage>;
  signal?: AbortSignal;
  /** Attempts to connect again without any success, by default 8, over half a minute. */
  maxRetries?: number;
  /** The job of the session, for its errors. */
  jobId?: string;
  WebSocket?: typeof WebSocket;
}

/** A live session that survives lost connections: it keeps audio until the server has stored it, and sends the rest again. */
export class LiveSession {
  /** Resolves when the session has ended. @throws LiveSessionError when it cannot be continued */
  readonly finished: Promise<LiveFinished>;
  readonly #audio = new UnacknowledgedAudio();
  readonly #options: LiveSessionOptions;
  #lastSeq = 0;
  #failures = 0;
  #isFinishing = false;
  #hasEnded = false;
  /** The connection on which audio is sent, once the server is ready. */
  #ready: WebSocket | undefined;
  #socket: WebSocket | undefined;
  /** Clears the timers of the connection: a close that the server does not answer takes long. */
  #clearTimers = () => {};
  #lastSentAt = 0;
  #resolve!: (message: LiveFinished) => void;
  #reject!: (error: unknown) => void;

  constructor(options: LiveSessionOptions) {
    this.#options = options;
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // `send` and `finish` throw it as well.
    this.finished.catch(() => undefined);
    options.signal?.addEventListener('abort', this.#abort, { once: true });
    if (options.signal?.aborted) this.#abort();
    else void this.#connect();
  }

  /** The next bytes of the audio. Waits while the connection is slower than the audio. @throws LiveSessionError when the session cannot be continued */
  async send(audio: Uint8Array | ArrayBuffer): Promise<void> {
    if (this.#hasEnded) await this.finished;
    const bytes = new Uint8Array(audio);
    for (let at = 0; at < bytes.length; at += FRAME_BYTES) {
      // A copy, since the caller may use its buffer again.
      const piece = bytes.slice(at, at + FRAME_BYTES);
      this.#audio.add(piece);
      this.#transmit(piece);
      while (this.#mustWait()) await sleep(WAIT_MS);
      if (this.#hasEnded) await this.finished;
    }
  }

  /** Ends the utterance that is being said. */
  finalize(): void {
    this.#transmit(JSON.stringify({ type: 'finalize' }));
  }

  /** Ends the session. Its job is `transcription_id`. */
  finish(): Promise<LiveFinished> {
    this.#isFinishing = true;
    this.#transmit(JSON.stringify({ type: 'finish' }));
    return this.finished;
  }

  /** Closes the connection without the end of the session, which another client may continue for a minute. */
  close(): void {
    this.#end(() => this.#reject(new LiveSessionError('closed', 'The session was closed by its client.')));
  }

  readonly #abort = () => this.#end(() => this.#reject(this.#options.signal?.reason));

  async #connect(): Promise<void> {
    try {
      const { WebSocket = globalThis.WebSocket, url, newToken } = this.#options;
      if (!WebSocket) throw new ParlanceError('This runtime has no WebSocket: pass one, such as that of the package ws, as the option WebSocket.');
      const token = await newToken();
      if (this.#hasEnded) return;
      this.#open(new WebSocket(`${url}${url.includes('?') ? '&' : '?'}after=${this.#lastSeq}`, [PROTOCOL, `token.${token}`]));
    } catch (error) {
      await this.#reconnect(error);
    }
  }

  #open(socket: WebSocket): void {
    this.#socket = socket;
    let problem: LiveProblem | undefined;
    const timer = setTimeout(() => lost(), CONNECT_MS);
    const keepalive = setInterval(() => this.#keepAlive(), KEEPALIVE_MS);
    const clearTimers = () => {
      clearTimeout(timer);
      clearInterval(keepalive);
    };
    this.#clearTimers = clearTimers;
    const lost = () => {
      clearTimers();
      if (this.#socket !== socket) return;
      this.#ready = this.#socket = undefined;
      socket.close();
      void this.#reconnect(problem ? liveError(problem) : new ConnectionError('The connection of the live session was lost.'), problem?.retry_after_ms);
    };
    socket.addEventListener('message', ({ data }) => {
      const message = messageOf(data);
      if (!message) return lost();
      if (message.type === 'error') problem = message;
      if (message.type === 'ready') clearTimeout(timer);
      if (message.type === 'ready') this.#resume(socket, message.acknowledged_offset);
      this.#receive(message);
      // Another server takes the session over.
      if (message.type === 'go_away') lost();
    });
    socket.addEventListener('close', lost);
    // An error is followed by the close; without a listener, the package ws throws it.
    socket.addEventListener('error', () => undefined);
  }

  #receive(message: LiveMessage): void {
    if (message.type === 'ack') this.#audio.acknowledge(message.offset);
    if ('seq' in message) this.#lastSeq = Math.max(this.#lastSeq, Number(message.seq));
    const { onMessage, onPartial, onFinal, onGap } = this.#options;
    onMessage?.(message);
    if (message.type === 'partial') onPartial?.(message);
    if (message.type === 'final') onFinal?.(message);
    if (message.type === 'gap') onGap?.(message);
    if (message.type === 'finished') this.#end(() => this.#resolve(message));
  }

  /** Sends what the server does not have, from exactly the byte that it names. */
  #resume(socket: WebSocket, acknowledged: number): void {
    this.#failures = 0;
    this.#ready = socket;
    this.#audio.acknowledge(acknowledged);
    for (const piece of this.#audio.pieces()) this.#transmit(piece);
    if (this.#isFinishing) void this.finish();
  }

  async #reconnect(cause: unknown, afterMs?: number): Promise<void> {
    if (this.#hasEnded) return;
    const { rest, maxRetries = DEFAULT_RETRIES } = this.#options;
    if (rest && this.#isFinishing && this.#audio.size === 0 && cause instanceof ApiError && cause.code === 'live_ended') return this.#readRest(rest, cause);
    const isLasting = !(cause instanceof ParlanceError) || !cause.retryable || this.#failures >= maxRetries;
    if (isLasting) return this.#fail(cause);
    this.#options.onReconnect?.(cause);
    this.#failures += 1;
    await sleep(afterMs ?? pauseBefore(this.#failures - 1, new ConnectionError()) ?? 0);
    if (!this.#hasEnded) await this.#connect();
  }

  /** Ends the session with the error that it cannot be continued for. */
  #fail(cause: unknown): void {
    this.#end(() => this.#reject(this.#lastError(cause)));
  }

  #lastError(cause: unknown): unknown {
    const { jobId } = this.#options;
    const kept = jobId ? ` The job ${jobId} has everything that was acknowledged.` : '';
    const isLost = cause instanceof ConnectionError || cause instanceof TimeoutError;
    const isRefused = cause instanceof ApiError && !(cause instanceof UnexpectedResponseError);
    const error = isRefused ? liveRefusal(cause) : isLost ? new ConnectionError(`The connection of the live session was lost and could not be opened again. Check that the server runs.${kept}`, { cause }) : cause;
    if (error instanceof ParlanceError && jobId) error.jobId = jobId;
    return error;
  }

  /** Reads what the server said while the connection was lost. */
  async #readRest(rest: (after: number) => AsyncIterable<LiveMessage>, refusal: ApiError): Promise<void> {
    try {
      for await (const message of rest(this.#lastSeq)) {
        if (this.#hasEnded) return;
        this.#receive(message);
      }
      this.#fail(refusal);
    } catch (error) {
      this.#fail(error);
    }
  }

  #end(settle: () => void): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#options.signal?.removeEventListener('abort', this.#abort);
    settle();
    const socket = this.#socket;
    this.#ready = this.#socket = undefined;
    this.#clearTimers();
    socket?.close();
  }

  #mustWait(): boolean {
    return !this.#hasEnded && ((this.#ready?.bufferedAmount ?? 0) > MAX_QUEUED_BYTES || this.#audio.size > MAX_KEPT_BYTES);
  }

  #keepAlive(): void {
    if (performance.now() - this.#lastSentAt >= KEEPALIVE_MS) this.#transmit(JSON.stringify({ type: 'keepalive' }));
  }

  #transmit(frame: Uint8Array<ArrayBuffer> | string): void {
    if (this.#ready?.readyState !== 1) return;
    this.#ready.send(frame);
    this.#lastSentAt = performance.now();
  }
}

/** Undefined where the data is not of the protocol: then something else answers. */
function messageOf(data: unknown): LiveMessage | undefined {
  try {
    return JSON.parse(String(data)) as LiveMessage;
  } catch {
    return undefined;
  }
}

/** A token that has expired is replaced by the next one; `newToken` fails where none is to be had. */
function liveError({ code, message, retryable, request_id: requestId }: LiveProblem): LiveSessionError {
  return new LiveSessionError(code, message, retryable || code === 'live_token_invalid', requestId);
}

/** The refusal of a token as the error of the session. */
function liveRefusal({ code, message, problem, retryable, requestId }: ApiError): LiveSessionError {
  return new LiveSessionError(code, problem?.detail ?? message, retryable, requestId);
}
