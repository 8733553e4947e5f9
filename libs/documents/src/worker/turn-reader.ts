import type { DocumentTurn } from '../content/document-content.js';
import type { DocumentRequest } from './document-messages.js';

const TURNS_PER_MESSAGE = 50;

/** Reads turns for as long as they are wanted: where they come from may take its time, or never answer. */
export class TurnReader {
  private readonly turns: AsyncIterator<DocumentTurn>;
  /** The reader that waits for the turn it requested. */
  private waiting: PromiseWithResolvers<IteratorResult<DocumentTurn, unknown>> | undefined;
  private readonly stop = () => this.waiting?.reject(this.signal.reason);

  constructor(
    turns: AsyncIterable<DocumentTurn>,
    private readonly signal: AbortSignal,
  ) {
    this.turns = turns[Symbol.asyncIterator]();
    signal.addEventListener('abort', this.stop);
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

  /** A turn that is still requested is answered when it arrives; its promise is not awaited. */
  async close(): Promise<void> {
    this.signal.removeEventListener('abort', this.stop);
    const closed = this.turns.return?.();
    if (this.waiting) closed?.catch(() => undefined);
    else await closed;
  }

  private async next(): Promise<IteratorResult<DocumentTurn, unknown>> {
    this.signal.throwIfAborted();
    const turn = this.turns.next();
    // A race against one promise for all turns would keep a reaction on it for each.
    const waiting = Promise.withResolvers<IteratorResult<DocumentTurn, unknown>>();
    this.waiting = waiting;
    const settle = () => {
      this.waiting = undefined;
      waiting.resolve(turn);
    };
    void turn.then(settle, settle);
    return waiting.promise;
  }
}
