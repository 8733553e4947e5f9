import type { ClientMessage } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { boundedJson } from './bounded-json.js';
import type { LiveProtocol } from './live-protocol.js';
import { MessageRate } from './message-rate.js';

/** The longest valid message is far shorter. */
const MAX_BYTES = 64 * 1024;

/** Reads the text frames of a client. */
export class ClientMessages {
  private readonly rate: MessageRate;

  /** @param now milliseconds, monotonic */
  constructor(
    private readonly protocol: Pick<LiveProtocol, 'read'>,
    now: () => number,
  ) {
    this.rate = new MessageRate(now);
  }

  /** @throws AppError live_message_invalid; rate_limited when there are too many in a second */
  read(data: Buffer): ClientMessage {
    this.rate.count();
    if (data.byteLength > MAX_BYTES) throw invalid(`A text message may have up to ${MAX_BYTES} bytes.`);
    const { value, fault } = boundedJson(data);
    if (fault !== undefined) throw invalid(fault);
    return this.protocol.read(value);
  }
}

export const invalid = (why: string) => new AppError({ code: 'live_message_invalid', message: `The message is not valid. ${why}`.slice(0, 300) });
