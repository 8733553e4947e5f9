/** Milliseconds without output, after which a decoder has given all that it can of what it got. */
const QUIET_MS = 150;

/**
 * The items of a decoder, with the orders to end an utterance between them: an order follows its place in the output, where that is
 * known; or else once the decoder is quiet, as the output of a container does not say which of its input it belongs to.
 */
export class QuietEnds<Item> {
  /** Places of the output that have not come yet, in order, and the output so far. */
  private readonly places: number[] = [];
  private given = 0;
  private pending = 0;
  private due = 0;
  private timer: NodeJS.Timeout | undefined;
  private wake: () => void = () => {};

  constructor(private readonly sizeOf: (item: Item) => number) {}

  /** The decoder has got all bytes before the order. @param place the size of the output that it follows */
  order(place?: number): void {
    if (place === undefined) {
      this.pending += 1;
      return this.startTimer();
    }
    this.places.push(place);
    this.reach(this.given);
    if (this.due > 0) this.wake();
  }

  async *between(items: AsyncIterable<Item>): AsyncGenerator<Item | 'finalize'> {
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
        this.reach(this.given + this.sizeOf(result.value));
        yield result.value;
        next = handled(iterator.next());
      }
    } finally {
      clearTimeout(this.timer);
      // Not awaited: a decoder that stalls never answers.
      iterator.return?.().catch(() => {});
    }
  }

  private reach(size: number): void {
    this.given = size;
    while ((this.places[0] ?? Infinity) <= size) {
      this.places.shift();
      this.due += 1;
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
