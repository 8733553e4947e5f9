import type { ClientMessage } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { LiveProtocol } from './live-protocol.js';

/** A client has little to say: far fewer than that. */
const MAX_PER_SECOND = 50;
const SECOND_MS = 1000;

/** Reads the text frames of a client. */
export class ClientMessages {
  private since = -Infinity;
  private count = 0;

  /** @param now milliseconds, monotonic */
  constructor(
    private readonly protocol: Pick<LiveProtocol, 'read'>,
    private readonly now: () => number,
  ) {}

  /** @throws AppError live_message_invalid; rate_limited when there are too many in a second */
  read(text: string): ClientMessage {
    this.countOne();
    return this.protocol.read(jsonOf(text));
  }

  private countOne(): void {
    const now = this.now();
    if (now - this.since >= SECOND_MS) {
      this.since = now;
      this.count = 0;
    }
    this.count += 1;
    if (this.count > MAX_PER_SECOND) throw new AppError({ code: 'rate_limited', message: `More than ${MAX_PER_SECOND} text messages came in a second.`, retryAfter: 1 });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('It is not JSON.');
  }
}

export const invalid = (why: string) => new AppError({ code: 'live_message_invalid', message: `The message is not valid. ${why}`.slice(0, 300) });
