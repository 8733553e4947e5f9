import type { DocumentTurn } from '../content/document-content.js';
import type { DocumentRequest } from './document-messages.js';

const TURNS_PER_MESSAGE = 50;

/** Reads turns for as long as they are wanted: where they come from may take its time, or never answer. */
export class TurnReader {
  private readonly turns: AsyncIterator<DocumentTurn>;
  private readonly unwanted = Promise.withResolvers<never>();
  private readonly stop = () => this.unwanted.reject(this.signal.reason);
  private isWaiting = false;

  constructor(
    turns: AsyncIterable<DocumentTurn>,
    private readonly signal: AbortSignal,
  ) {
    this.turns = turns[Symbol.asyncIterator]();
    // Nobody may be waiting when it is rejected.
    this.unwanted.promise.catch(() => undefined);
    signal.addEventListener('abort', this.stop);
    if (signal.aborted) this.stop();
  }

  /** @throws the reason of the signal */
  async batch(): Promise<DocumentRequest> {
    const turns: DocumentTurn[] = [];
    while (turns.length < TURNS_PER_MESSAGE) {
      const { value, done } = await this.next();
      if (done) return { turns, isLast: true };
      turns.push(value);
    }
    return { turns, isLast: false };
  }

  /** One that is waited for hears of it when it comes; nobody waits for that. */
  async close(): Promise<void> {
    this.signal.removeEventListener('abort', this.stop);
    const closed = this.turns.return?.();
    if (this.isWaiting) closed?.catch(() => undefined);
    else await closed;
  }

  private async next(): Promise<IteratorResult<DocumentTurn, unknown>> {
    const next = this.turns.next();
    this.isWaiting = true;
    void next.then(() => (this.isWaiting = false), () => (this.isWaiting = false));
    return Promise.race([next, this.unwanted.promise]);
  }
}
