import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { StreamingEvent } from './streaming-recognizer.js';

type Final = Extract<StreamingEvent, { type: 'final' }>;

/** An utterance that waits for its final, with the events that come after it. */
interface Waiting<Utterance> {
  utterance: Utterance;
  after: StreamingEvent[];
  done: Promise<void>;
}

/** Writes the events of a stream. What happens after an utterance is written after its final, however fast the engine is. */
export class FinalQueue<Utterance> {
  private readonly waiting: Waiting<Utterance>[] = [];
  private readonly failing = new AbortController();
  private reported = 0;

  constructor(
    private readonly events: Writable,
    private readonly signal: AbortSignal,
  ) {}

  /** Aborts with the error of the first final that fails. */
  get failed(): AbortSignal {
    return this.failing.signal;
  }

  /** The utterance whose final comes next; undefined when none waits. */
  get next(): Utterance | undefined {
    return this.waiting[0]?.utterance;
  }

  /** Utterances that wait for their final. */
  get length(): number {
    return this.waiting.length;
  }

  /** @param recognize is called once the finals before are sent */
  add(utterance: Utterance, recognize: () => Promise<Final>): void {
    const after: StreamingEvent[] = [];
    const before = this.waiting.at(-1)?.done ?? Promise.resolve();
    const done = before.then(recognize).then((final) => this.finish(final, after));
    this.waiting.push({ utterance, after, done });
    done.catch((error: unknown) => this.failing.abort(error));
  }

  /** Sends at once. */
  send(event: StreamingEvent): void {
    if (event.type === 'progress' && event.until <= this.reported) return;
    if (event.type === 'progress') this.reported = event.until;
    this.events.write(event);
  }

  /** Sends after the finals of the utterances so far. */
  sendInTurn(event: StreamingEvent): void {
    const last = this.waiting.at(-1);
    if (last) last.after.push(event);
    else this.send(event);
  }

  /** Waits while more than `most` utterances wait, or the reader is behind. @throws the error of a final; what the abort means */
  async keepPace(most: number): Promise<void> {
    while (this.waiting.length > most && !this.failed.aborted) await this.waiting[0]?.done.catch(() => {});
    this.failed.throwIfAborted();
    if (this.events.writableNeedDrain) await this.drain();
  }

  /** Waits for all finals. @throws the error of one */
  async finished(): Promise<void> {
    await Promise.all(this.waiting.map(({ done }) => done));
    this.failed.throwIfAborted();
  }

  /** Waits until no recognition runs, whether or not it failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.waiting.map(({ done }) => done));
  }

  private finish(final: Final, after: readonly StreamingEvent[]): void {
    this.send(final);
    this.send({ type: 'progress', until: final.end });
    this.waiting.shift();
    for (const event of after) this.send(event);
  }

  private async drain(): Promise<void> {
    const signal = AbortSignal.any([this.signal, this.failed]);
    await once(this.events, 'drain', { signal }).catch((error: unknown) => {
      this.failed.throwIfAborted();
      throw error;
    });
  }
}
