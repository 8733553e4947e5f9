/** Milliseconds without output, after which a decoder has given all that it can of what it got. */
const QUIET_MS = 150;

/**
 * The items of a decoder, with the orders to end an utterance between them: an order follows once the decoder is quiet, as its
 * output does not say which of its input it belongs to.
 */
export class QuietEnds {
  private pending = 0;
  private due = 0;
  private timer: NodeJS.Timeout | undefined;
  private wake: () => void = () => {};

  /** The decoder has got all bytes before the order. */
  order(): void {
    this.pending += 1;
    this.startTimer();
  }

  async *between<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item | 'finalize'> {
    const iterator = items[Symbol.asyncIterator]();
    try {
      let next = handled(iterator.next());
      for (;;) {
        // A new promise each time: a lasting one would keep every item that it was raced with.
        const ordered = new Promise<'finalize'>((resolve) => (this.wake = () => resolve('finalize')));
        const result = this.due > 0 ? ('finalize' as const) : await Promise.race([next, ordered]);
        if (result === 'finalize') {
          this.due -= 1;
          yield 'finalize';
          continue;
        }
        if (result.done === true) return;
        if (this.pending > 0) this.startTimer();
        yield result.value;
        next = handled(iterator.next());
      }
    } finally {
      clearTimeout(this.timer);
      // Not awaited: a decoder that stalls never answers.
      iterator.return?.().catch(() => {});
    }
  }

  private startTimer(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.due += this.pending;
      this.pending = 0;
      this.wake();
    }, QUIET_MS).unref();
  }
}

/** The promise, whose rejection is handled while nothing waits for it: the reader may be busy with an order. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
