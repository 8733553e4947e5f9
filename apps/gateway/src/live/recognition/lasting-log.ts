import type { LastingMessage } from '@parlance/contracts';
import type { EventDetails, LiveEvent, LiveEvents, SessionConnection } from '../session/live-events.js';
import type { LiveSession, RestartPoint } from '../session/live-session.js';

/** Messages that are read at the beginning: mostly more than there are between two finals. */
const RECENT = 64;

type Unnumbered<M> = M extends LastingMessage ? Omit<M, 'seq'> : never;
export type NewLastingMessage = Unnumbered<LastingMessage>;

/** Another connection has stored a message meanwhile: what this one knows of the session is out of date. */
export class SequenceTaken extends Error {
  override readonly name = 'SequenceTaken';
}

/** A message without its words, which are the larger part of it. */
interface KnownMessage {
  type: LastingMessage['type'];
  /** Undefined for one that has no place. */
  place: string | undefined;
  restart: RestartPoint | undefined;
}

/** Gives the lasting messages of a session their sequence, and stores each once. */
export class LastingLog {
  private last: Promise<unknown> = Promise.resolve();
  private closed = false;

  private constructor(
    private readonly events: Pick<LiveEvents, 'append'>,
    private readonly session: SessionConnection,
    private readonly recent: KnownMessage[],
    private seq: number,
  ) {}

  static async open(events: Pick<LiveEvents, 'append' | 'last' | 'list'>, session: SessionConnection): Promise<LastingLog> {
    const seq = (await events.last(session.id))?.seq ?? 0;
    const recent = await recentOf(events, session.id, seq);
    return new LastingLog(events, session, recent.map(({ message, restart }) => knownOf(message, restart)), recent.at(-1)?.seq ?? seq);
  }

  /** Sequence of the last message; 0 before the first one. */
  get lastSeq(): number {
    return this.seq;
  }

  get isFinished(): boolean {
    return this.recent.at(-1)?.type === 'finished';
  }

  /** Returns where recognition may begin: after the last final, or where the session says when that is later. */
  restartOf({ restart }: Pick<LiveSession, 'restart'>): RestartPoint {
    return this.recent.reduce((latest, { restart: other }) => (other && other.sample > latest.sample ? other : latest), restart);
  }

  /** Nothing is appended any more. Settles when what was begun is done. */
  async close(): Promise<void> {
    this.closed = true;
    await this.last;
  }

  /**
   * Stores the message, after those before it.
   * @returns it with its sequence; undefined for a gap or a boundary of speech that is known from before an interruption. @throws SequenceTaken
   */
  append(message: NewLastingMessage, details?: EventDetails): Promise<LastingMessage | undefined> {
    const stored = this.last.then(() => this.store(message, details));
    this.last = stored.catch(() => {});
    return stored;
  }

  private async store(message: NewLastingMessage, details: EventDetails | undefined): Promise<LastingMessage | undefined> {
    if (this.closed) throw new SequenceTaken('The connection is closed.');
    const known = knownOf(message, details?.restart);
    if (known.place !== undefined && this.recent.some(({ place }) => place === known.place)) return undefined;
    const numbered = { ...message, seq: this.seq + 1 } as LastingMessage;
    if ((await this.events.append(this.session, numbered, details)) === 'other') throw new SequenceTaken(`Another message of ${this.session.id} has the sequence ${numbered.seq}.`);
    this.seq = numbered.seq;
    this.recent.push(known);
    if (this.recent.length > RECENT) this.recent.shift();
    return numbered;
  }
}

/** The latest messages, back to one with a restart point. A client may have announced any number of gaps since then. */
async function recentOf(events: Pick<LiveEvents, 'list'>, sessionId: string, seq: number): Promise<LiveEvent[]> {
  for (let count = RECENT; ; count *= 4) {
    const recent: LiveEvent[] = [];
    for await (const event of events.list(sessionId, Math.max(0, seq - count))) recent.push(event);
    if (count >= seq || recent.some(({ restart }) => restart)) return recent;
  }
}

const knownOf = (message: NewLastingMessage, restart: RestartPoint | undefined): KnownMessage => ({ type: message.type, place: placeOf(message), restart });

/** A gap and a boundary of speech are known by their place: one that came before an interruption comes again. */
function placeOf(message: NewLastingMessage): string | undefined {
  if (message.type === 'gap') return `gap ${message.from_ms} ${message.to_ms}`;
  return message.type === 'speech_started' || message.type === 'speech_ended' ? `${message.type} ${message.at}` : undefined;
}
