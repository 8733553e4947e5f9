import type { ServerMessage, ServerMessageOf } from '@parlance/contracts';
import { AsyncSignal, pause, retryDelay } from '@parlance/platform/async';
import { RefusedRequest } from '../api-client.js';
import { endedBy, isResumable, LiveError, type ConnectionEnd } from './live-error.js';
import { LiveSocket } from './live-socket.js';
import { UnacknowledgedAudio } from './unacknowledged-audio.js';

/** Requests of the session beside its connections. @throws RefusedRequest when the server refuses it */
export interface LiveRequests {
  /** For one connection. */
  liveToken(sessionId: string): Promise<string>;
  /** Bytes of the session that are stored. */
  liveOffset(sessionId: string): Promise<number>;
  /** The lasting messages after the sequence, until `finished` or until the stream breaks off. */
  liveEvents(sessionId: string, after: number): AsyncIterable<ServerMessage>;
}

interface LiveSessionOptions {
  sessionId: string;
  /** `ws://…/socket`. */
  socketUrl: string;
  requests: LiveRequests;
  /** The session is given up when the server was not there for so long. */
  resumeWithinMs: number;
  random?: () => number;
}

/** Bytes that are kept until the server has stored them; `write` waits when there are more. */
const MAX_UNACKNOWLEDGED = 4 * 1024 * 1024;
const MAX_FRAME = 32 * 1024;
const BACKOFF = { initialDelayMs: 200, maxDelayMs: 5000 };
/** The signals are notified for each change, so that this is for a missed one only. */
const CHECK_EACH_MS = 1000;

/**
 * A live session as its client holds it: over as many connections as it takes. Each connection begins with the byte that the
 * server asks for, and brings the lasting messages after the last one that was seen.
 */
export class LiveSession {
  private readonly audio = new UnacknowledgedAudio();
  private readonly room = new AsyncSignal();
  private readonly work = new AsyncSignal();
  private isComplete = false;
  private isOver = false;
  private lastSeq = 0;
  /** When the server was last there, by the monotonic clock. */
  private reachedAt = performance.now();

  constructor(private readonly options: LiveSessionOptions) {}

  /** Waits while too much is unacknowledged; after the end of the session bytes are dropped. */
  async write(bytes: Uint8Array): Promise<void> {
    while (this.audio.byteLength >= MAX_UNACKNOWLEDGED && !this.isOver) await this.room.wait(CHECK_EACH_MS);
    if (this.isOver) return;
    this.audio.append(bytes);
    this.work.notify();
  }

  /** Nothing more will be written: the session ends once everything that was written is recognized. */
  finish(): void {
    this.isComplete = true;
    this.work.notify();
  }

  /** Connects, and gives what the server sends until `finished`, each lasting message once. @throws LiveError, RefusedRequest when the session cannot be continued */
  async *messages(): AsyncGenerator<ServerMessage> {
    try {
      for (let failures = 0; ; failures += 1) {
        const before = this.reachedAt;
        const end = yield* this.connection();
        if (end === 'finished') return;
        if (!isResumable(end)) throw endedBy(end);
        if (this.reachedAt > before) failures = 0;
        await this.pauseAfter(end, failures + 1);
      }
    } finally {
      this.isOver = true;
      this.room.notify();
      this.work.notify();
    }
  }

  private async *connection(): AsyncGenerator<ServerMessage, ConnectionEnd | 'finished'> {
    const token = await this.token();
    if (token === 'away') return { code: 1006 };
    if (token === 'ended') return yield* this.rest();
    const socket = new LiveSocket(`${this.options.socketUrl}?after=${this.lastSeq}`, token.value);
    const left = new AbortController();
    let sending: Promise<void> | undefined;
    try {
      for await (const message of socket.messages()) {
        this.reachedAt = performance.now();
        if (message.type === 'ready') sending = this.send(socket, this.resume(message), left.signal);
        if (message.type === 'ack') this.acknowledge(message.offset);
        if (this.isNew(message)) yield message;
        if (message.type === 'finished') return 'finished';
        if (message.type === 'go_away') return { code: 1012 };
      }
      return await socket.ended;
    } finally {
      left.abort();
      socket.close();
      await sending;
    }
  }

  /** `ended`: the session was finished on an earlier connection. `away`: the server cannot be reached, or is busy. */
  private async token(): Promise<{ value: string } | 'ended' | 'away'> {
    const { requests, sessionId } = this.options;
    try {
      return { value: await requests.liveToken(sessionId) };
    } catch (error) {
      if (isAway(error)) return 'away';
      if (!this.isComplete || !(error instanceof RefusedRequest) || error.problemCode !== 'live_ended') throw error;
      return 'ended';
    }
  }

  /** The messages that an earlier connection of a finished session did not bring. @throws LiveError when the server ended it before it had all audio */
  private async *rest(): AsyncGenerator<ServerMessage, ConnectionEnd | 'finished'> {
    const { requests, sessionId } = this.options;
    try {
      this.acknowledge(await requests.liveOffset(sessionId));
      if (this.audio.byteLength > 0) throw new LiveError('The session ended before all of its audio was stored.', 'live_ended');
      for await (const message of requests.liveEvents(sessionId, this.lastSeq)) {
        this.reachedAt = performance.now();
        if (this.isNew(message)) yield message;
        if (message.type === 'finished') return 'finished';
      }
    } catch (error) {
      if (!isAway(error)) throw error;
    }
    return { code: 1006 };
  }

  private resume({ acknowledged_offset: offset, limits }: ServerMessageOf<'ready'>): { offset: number; maxFrame: number } {
    this.acknowledge(offset);
    return { offset, maxFrame: Math.min(MAX_FRAME, limits.max_frame_bytes) };
  }

  private acknowledge(offset: number): void {
    this.audio.acknowledge(offset);
    this.room.notify();
  }

  /** A frame at a time: `send` resolves when the socket has taken it, which a server that does not read delays. */
  private async send(socket: LiveSocket, { offset, maxFrame }: { offset: number; maxFrame: number }, signal: AbortSignal): Promise<void> {
    let sent = offset;
    while (!signal.aborted) {
      const frame = this.audio.read(sent, maxFrame);
      if (frame.byteLength > 0) {
        if (!(await socket.send(frame))) return;
        sent += frame.byteLength;
      } else if (this.isComplete) {
        await socket.send(JSON.stringify({ type: 'finish' }));
        return;
      } else await this.work.wait(CHECK_EACH_MS, signal);
    }
  }

  private isNew(message: ServerMessage): boolean {
    if (!('seq' in message)) return true;
    if (message.seq <= this.lastSeq) return false;
    this.lastSeq = message.seq;
    return true;
  }

  private async pauseAfter({ error }: ConnectionEnd, failures: number): Promise<void> {
    const { resumeWithinMs, random = Math.random } = this.options;
    if (performance.now() - this.reachedAt > resumeWithinMs) throw new LiveError('The server was away for too long, and the session is over.');
    await pause(Math.max(error?.retry_after_ms ?? 0, retryDelay(failures, BACKOFF, random())));
  }
}

/** A server that is not there or busy; fetch's own errors are TypeErrors. */
const isAway = (error: unknown): boolean => error instanceof TypeError || (error instanceof RefusedRequest && (error.status >= 500 || error.status === 429));
