import { AppError } from '@parlance/platform';

/** A client has little to say beside its audio: far fewer than that. */
const MAX_PER_SECOND = 50;
const SECOND_MS = 1000;

/** The messages without audio of one connection in a second. */
export class MessageRate {
  private since = -Infinity;
  private messages = 0;

  /** @param now milliseconds, monotonic */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @throws AppError rate_limited when there are too many in a second */
  count(): void {
    const now = this.now();
    if (now - this.since >= SECOND_MS) {
      this.since = now;
      this.messages = 0;
    }
    this.messages += 1;
    if (this.messages > MAX_PER_SECOND) throw new AppError({ code: 'rate_limited', message: `More than ${MAX_PER_SECOND} messages without audio came in a second.`, retryAfter: 1 });
  }
}
