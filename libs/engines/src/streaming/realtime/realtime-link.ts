import { pause, retryDelay } from '@parlance/platform/async';
import { AppError } from '@parlance/platform/errors';
import { abortError } from '../../speech/engine-errors.js';
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
  /** In order, without a transcript yet. */
  private readonly pending: RealtimeUtterance[] = [];
  private lastItem: string | undefined;
  private failures = 0;
  private failure: unknown;
  private pumping: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: RealtimeLinkOptions) {}

  begin(): RealtimeUtterance {
    if (this.pending.length === 0 && this.connection && this.connection.ageMs >= this.options.renewMs) this.drop();
    const utterance = new RealtimeUtterance(this.options.rate);
    this.pending.push(utterance);
    return utterance;
  }

  /** Sends what the utterances have meanwhile. @throws AppError engine_failed, engine_timeout, canceled */
  async flush(): Promise<void> {
    while (this.pending.some(({ isSent }) => !isSent)) {
      this.pumping ??= this.pump().finally(() => (this.pumping = undefined));
      await this.pumping;
      if (this.failure !== undefined) throw this.failure;
    }
  }

  /** Connects, so that a wrong key or address is known at the start. */
  async open(): Promise<void> {
    await this.connected();
  }

  close(): void {
    clearTimeout(this.timer);
    this.drop();
  }

  private async pump(): Promise<void> {
    try {
      for (let next = this.unsent(); next && this.failure === undefined; next = this.unsent()) {
        const connection = await this.connected();
        await next.sendTo(connection).catch(() => this.lose(connection));
        this.watch();
      }
    } catch (error) {
      this.fail(error);
    }
  }

  private unsent(): RealtimeUtterance | undefined {
    return this.pending.find(({ isSent }) => !isSent);
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
    const connection = await RealtimeConnection.open(server, session, {
      onEvent: (event) => this.accept(event),
      onEnd: (error) => {
        listened.hasEnded = true;
        if (error) this.fail(error);
        else if (listened.connection) this.lose(listened.connection);
      },
    });
    if (listened.hasEnded) throw lostConnection();
    if (signal.aborted) {
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
    if (this.pending.length === 0) return;
    this.failures += 1;
    if (this.failures >= MAX_FAILURES) this.fail(lostConnection());
    else this.flush().catch(() => {});
  }

  private drop(): void {
    this.connection?.close();
    this.connection = undefined;
    this.lastItem = undefined;
    for (const utterance of this.pending) utterance.forget();
  }

  private accept(event: ServerEvent): void {
    if (event.type === 'error') {
      if (isExpiry(event.error) && this.connection) this.lose(this.connection);
      else this.fail(reportedFailure(event.error));
      return;
    }
    if (event.type === 'input_audio_buffer.committed') return this.identify(event.item_id, event.previous_item_id);
    const utterance = this.pending.find(({ itemId }) => itemId === event.item_id) ?? this.firstUnnamed(event.item_id);
    if (!utterance) return;
    if (event.type.endsWith('.failed')) this.fail(reportedFailure('error' in event ? event.error : undefined));
    else if ('transcript' in event) this.complete(utterance, event.transcript);
    else if ('delta' in event && event.delta) {
      utterance.text += event.delta;
      this.options.onText(utterance);
    }
  }

  /** Items are in the order of `previous_item_id`, although their events may arrive in another one. */
  private identify(itemId: string, previous: string | null | undefined): void {
    if (this.pending.some((utterance) => utterance.itemId === itemId)) return;
    const before = previous ? this.pending.findIndex((utterance) => utterance.itemId === previous) : -1;
    const next = before >= 0 && previous !== this.lastItem ? this.pending[before + 1] : this.pending.find((utterance) => utterance.itemId === undefined);
    if (next && next.itemId === undefined) next.itemId = itemId;
  }

  /** A server that transcribes before the commit names the item in its first delta. */
  private firstUnnamed(itemId: string): RealtimeUtterance | undefined {
    const utterance = this.pending.find((each) => each.itemId === undefined);
    if (utterance) utterance.itemId = itemId;
    return utterance;
  }

  private complete(utterance: RealtimeUtterance, transcript: string): void {
    this.failures = 0;
    this.lastItem = utterance.itemId;
    this.pending.splice(this.pending.indexOf(utterance), 1);
    utterance.resolve(transcript);
    clearTimeout(this.timer);
    this.timer = undefined;
    this.watch();
  }

  /** The oldest utterance that was ended has a time limit. */
  private watch(): void {
    if (this.timer || !this.pending[0]?.isWaiting) return;
    this.timer = setTimeout(() => this.fail(noAnswer()), this.options.answerMs);
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    clearTimeout(this.timer);
    this.connection?.close();
    this.connection = undefined;
    for (const utterance of this.pending.splice(0)) utterance.reject(this.failure);
  }
}
