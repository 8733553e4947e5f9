import { pause, retryDelay } from '@parlance/platform/async';
import { AppError } from '@parlance/platform/errors';
import { abortError } from '../../speech/engine-errors.js';
import { PendingItems } from './pending-items.js';
import { RealtimeConnection, type RealtimeServer } from './realtime-connection.js';
import { isExpiry, lostConnection, noAnswer, reportedFailure } from './realtime-failure.js';
import { RealtimeUtterance } from './realtime-utterance.js';
import type { ServerEvent } from './server-event.js';

/** Connections in a row without a transcript. */
const MAX_FAILURES = 5;
const BACKOFF = { initialDelayMs: 200, maxDelayMs: 3000 };

export interface RealtimeLinkOptions {
  server: RealtimeServer;
  session: object;
  /** The sample rate that the server takes. */
  rate: number;
  /** Between an utterance's end and its transcript. */
  answerMs: number;
  /** A session of this age is replaced in the next pause. */
  renewMs: number;
  signal: AbortSignal;
  onText: (utterance: RealtimeUtterance) => void;
}

/**
 * Hands utterances to the server over one connection at a time. When a connection ends, the next one begins with all utterances that
 * have no transcript yet: nothing is lost, and each is transcribed as a whole.
 */
export class RealtimeLink {
  private connection: RealtimeConnection | undefined;
  private readonly items = new PendingItems();
  private failures = 0;
  private failure: unknown;
  private isClosed = false;
  private pumping: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: RealtimeLinkOptions) {
    options.signal.addEventListener('abort', this.abort, { once: true });
  }

  begin(): RealtimeUtterance {
    if (this.items.isEmpty && this.connection && this.connection.ageMs >= this.options.renewMs) this.drop();
    return this.items.add(new RealtimeUtterance(this.options.rate));
  }

  /** Sends what the utterances have meanwhile. @throws AppError engine_failed, engine_timeout, canceled */
  async flush(): Promise<void> {
    while (this.failure === undefined && this.items.unsent()) {
      this.pumping ??= this.pump().finally(() => (this.pumping = undefined));
      await this.pumping;
    }
    if (this.failure !== undefined) throw this.failure;
  }

  /** Connects, so that a wrong key or address is known at the start. */
  async open(): Promise<void> {
    await this.connected();
  }

  close(): void {
    this.options.signal.removeEventListener('abort', this.abort);
    clearTimeout(this.timer);
    this.isClosed = true;
    this.drop();
  }

  /** Ends what waits for the network. */
  private readonly abort = (): void => this.fail(abortError(this.options.signal));

  private async pump(): Promise<void> {
    try {
      for (let next = this.items.unsent(); next && this.failure === undefined; next = this.items.unsent()) {
        const connection = await this.connected();
        await next.sendTo(connection).catch(() => this.lose(connection));
        this.watch();
      }
    } catch (error) {
      this.fail(error);
    }
  }

  private async connected(): Promise<RealtimeConnection> {
    for (;;) {
      if (this.options.signal.aborted) throw abortError(this.options.signal);
      if (this.connection) return this.connection;
      if (this.failures > 0) await pause(retryDelay(this.failures, BACKOFF, Math.random()), this.options.signal);
      try {
        return await this.connect();
      } catch (error) {
        this.failures += 1;
        if (!(error instanceof AppError) || !error.retryable || this.failures >= MAX_FAILURES) throw error;
      }
    }
  }

  private async connect(): Promise<RealtimeConnection> {
    const { server, session, signal } = this.options;
    const listened: { connection?: RealtimeConnection; hasEnded?: boolean } = {};
    const listener = {
      onEvent: (event: ServerEvent) => this.accept(event),
      onEnd: (error?: Error) => {
        listened.hasEnded = true;
        if (error) this.fail(error);
        else if (listened.connection) this.lose(listened.connection);
      },
    };
    const connection = await RealtimeConnection.open(server, session, listener, signal);
    if (listened.hasEnded) throw lostConnection();
    if (signal.aborted || this.isClosed) {
      connection.close();
      throw abortError(signal);
    }
    listened.connection = connection;
    this.connection = connection;
    return connection;
  }

  /** Without an utterance on its way, the next one connects. */
  private lose(connection: RealtimeConnection): void {
    if (this.connection !== connection) return;
    this.drop();
    if (this.items.isEmpty) return;
    this.failures += 1;
    if (this.failures >= MAX_FAILURES) this.fail(lostConnection());
    else this.flush().catch(() => {});
  }

  private drop(): void {
    this.connection?.close();
    this.connection = undefined;
    this.items.forget();
  }

  private accept(event: ServerEvent): void {
    if (event.type === 'error') {
      if (isExpiry(event.error) && this.connection) this.lose(this.connection);
      else this.fail(reportedFailure(event.error));
      return;
    }
    if (event.type === 'input_audio_buffer.committed') return this.items.name(event.item_id, event.previous_item_id);
    const utterance = this.items.find(event.item_id);
    if (!utterance) return;
    if (event.type.endsWith('.failed')) this.fail(reportedFailure('error' in event ? event.error : undefined));
    else if ('transcript' in event) this.complete(utterance, event.transcript);
    else if ('delta' in event && event.delta) {
      utterance.text += event.delta;
      this.options.onText(utterance);
    }
  }

  private complete(utterance: RealtimeUtterance, transcript: string): void {
    this.failures = 0;
    this.items.remove(utterance);
    utterance.resolve(transcript);
    clearTimeout(this.timer);
    this.timer = undefined;
    this.watch();
  }

  /** The oldest utterance that was ended has a time limit. */
  private watch(): void {
    if (this.timer || !this.items.first?.isWaiting) return;
    this.timer = setTimeout(() => this.fail(noAnswer()), this.options.answerMs);
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    clearTimeout(this.timer);
    this.connection?.close();
    this.connection = undefined;
    for (const utterance of this.items.removeAll()) utterance.reject(this.failure);
  }
}
