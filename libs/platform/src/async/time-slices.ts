import { setImmediate } from 'node:timers/promises';

/** Far below what holds up an HTTP answer noticeably. */
const SLICE_MS = 12;

/** The tail of the queue for the event loop: one slice per turn of it, however many callers work at the same time. */
let queue: Promise<void> = Promise.resolve();

/** Cuts long work into slices between which the event loop takes its turn. */
export class TimeSlices {
  private since: number;

  /** @param now milliseconds, monotonic */
  constructor(
    private readonly signal?: AbortSignal,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.since = now();
  }

  /** To be called often; waits only when the slice is used up. @throws the signal's reason once it is aborted */
  async next(): Promise<void> {
    if (this.now() - this.since < SLICE_MS) return;
    queue = queue.then(() => setImmediate());
    await queue;
    this.signal?.throwIfAborted();
    this.since = this.now();
  }
}
