import { AppError } from '@parlance/platform';

/** Ends a recognition that has audio to work on, but neither takes more of it nor gives an event. */
export class StallLimit {
  private wantsAudio = false;
  private movedAt = performance.now();

  /** @param limitMs milliseconds; more than the finals take that the recognizer may have to make before it takes more audio */
  constructor(private readonly limitMs: number) {}

  /** The audio that the recognizer reads. */
  async *audio<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    this.wantsAudio = true;
    for await (const item of items) {
      this.moved();
      yield item;
      this.wantsAudio = true;
    }
    this.moved();
  }

  /** The events that the recognizer gives. @throws AppError service_unavailable when it stalls; the reason of the signal */
  async *events<Event>(events: AsyncIterable<Event>, signal: AbortSignal): AsyncGenerator<Event> {
    const iterator = events[Symbol.asyncIterator]();
    try {
      for (;;) {
        // The time in which its last event was worked on is not that of the recognizer.
        this.movedAt = performance.now();
        const result = await this.next(iterator, signal);
        if (result.done === true) return;
        yield result.value;
      }
    } finally {
      // Not awaited: a recognizer that stalls never answers.
      iterator.return?.().catch(() => {});
    }
  }

  private async next<Event>(iterator: AsyncIterator<Event>, signal: AbortSignal): Promise<IteratorResult<Event>> {
    signal.throwIfAborted();
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    const timer = setInterval(() => this.isStalled && reject(stalled()), this.limitMs / 4);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([iterator.next(), stopped]);
    } finally {
      clearInterval(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  private moved(): void {
    this.wantsAudio = false;
    this.movedAt = performance.now();
  }

  private get isStalled(): boolean {
    return !this.wantsAudio && performance.now() - this.movedAt > this.limitMs;
  }
}

const stalled = () => new AppError({ code: 'service_unavailable', kind: 'timeout', message: 'The recognition of live audio does not continue.' });
