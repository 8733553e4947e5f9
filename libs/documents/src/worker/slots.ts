import { busy } from './busy.js';

/** So many at once; the others in the order in which they came, for as long as they care to wait. */
export class Slots {
  /** In their order. */
  private readonly waiting = new Set<() => void>();

  constructor(
    private free: number,
    private readonly maxWaitMs: number,
  ) {}

  /**
   * @param signal aborted when nobody waits for the slot any more: the place in the line is given up
   * @returns what gives the slot back.
   * @throws AppError service_unavailable when none was free in time; the reason of the signal
   */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.turn(signal);
    return () => this.giveBack();
  }

  private async turn(signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (reason: unknown) => {
      this.waiting.delete(resolve);
      reject(reason);
    };
    const gone = () => leave(signal?.reason);
    const timer = setTimeout(() => leave(busy('The server is writing the maximum number of documents.')), this.maxWaitMs);
    signal?.addEventListener('abort', gone, { once: true });
    this.waiting.add(resolve);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', gone);
    }
  }

  private giveBack(): void {
    const [next] = this.waiting;
    if (!next) {
      this.free++;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
