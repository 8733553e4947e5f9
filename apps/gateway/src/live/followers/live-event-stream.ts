import type { LastingMessage, ServerMessageOf } from '@parlance/contracts';
import { AsyncSignal } from '@parlance/platform';
import type { LiveEvents } from '../session/live-events.js';
import type { LiveFeed } from '../session/live-feed.js';
import { isOver } from '../session/live-session.js';
import type { LiveSessions } from '../session/live-sessions.js';

/** Milliseconds between reads of the stored messages: those of this process are known at once, others at the next read. */
const POLL_MS = 500;
const HEARTBEAT_MS = 15_000;
/** Reads without news after which it is asked whether the session is over without `finished`. */
const QUIET_READS = 4;

interface Dependencies {
  sessions: Pick<LiveSessions, 'find'>;
  events: Pick<LiveEvents, 'list'>;
  feed: Pick<LiveFeed, 'follow'>;
  pollMs?: number;
  heartbeatMs?: number;
}

/** The messages of a session as text of `text/event-stream`, after a sequence, until it is over or the signal aborts. */
export class LiveEventStream {
  private readonly news = new AsyncSignal();
  /** The newest one that was not sent. */
  private partial: ServerMessageOf<'partial'> | undefined;
  private isCanceled = false;
  /** Stored messages may have come since the last read. */
  private isReadDue = true;
  private readAt = 0;

  constructor(
    private readonly dependencies: Dependencies,
    private readonly sessionId: string,
    private after: number,
  ) {}

  async *events(signal: AbortSignal): AsyncGenerator<string> {
    const { feed, pollMs = POLL_MS, heartbeatMs = HEARTBEAT_MS } = this.dependencies;
    const end = feed.follow(this.sessionId, (message) => this.take(message));
    try {
      // The head of the answer is sent with its first bytes.
      yield ':\n\n';
      let lastWrite = performance.now();
      for (let quiet = 0; !signal.aborted; quiet++) {
        for await (const message of this.unsent()) {
          yield eventText(message);
          if (message.type === 'finished') return;
          [quiet, lastWrite] = [1, performance.now()];
        }
        if (this.isCanceled || (quiet % QUIET_READS === 0 && (await this.isOver()))) return yield* this.rest();
        if (performance.now() - lastWrite >= heartbeatMs) {
          yield ':\n\n';
          lastWrite = performance.now();
        }
        const isNews = await this.news.wait(Math.min(pollMs, heartbeatMs), signal);
        // News without end must not keep messages of other processes waiting.
        this.isReadDue ||= !isNews || performance.now() - this.readAt >= pollMs;
      }
    } finally {
      end();
    }
  }

  private take(message: Parameters<Parameters<LiveFeed['follow']>[1]>[0]): void {
    if (message.type === 'partial') this.partial = message;
    else this.isReadDue = true;
    // The partials of an utterance are out of date with its final.
    if (message.type === 'final') this.partial = undefined;
    this.isCanceled ||= message.type === 'canceled';
    this.news.notify();
  }

  private async *unsent(): AsyncGenerator<LastingMessage | ServerMessageOf<'partial'>> {
    if (this.isReadDue) yield* this.stored();
    const { partial } = this;
    this.partial = undefined;
    if (partial) yield partial;
  }

  private async *stored(): AsyncGenerator<LastingMessage> {
    [this.isReadDue, this.readAt] = [false, performance.now()];
    for await (const { seq, message } of this.dependencies.events.list(this.sessionId, this.after)) {
      this.after = seq;
      yield message;
    }
  }

  /** The last messages are stored before the session is over. */
  private async *rest(): AsyncGenerator<string> {
    for await (const message of this.stored()) yield eventText(message);
  }

  private async isOver(): Promise<boolean> {
    const session = await this.dependencies.sessions.find(this.sessionId);
    return !session || isOver(session);
  }
}

const eventText = (message: LastingMessage | ServerMessageOf<'partial'>): string =>
  `${'seq' in message ? `id: ${message.seq}\n` : ''}event: ${message.type}\ndata: ${JSON.stringify({ event: message.type, ...message })}\n\n`;
