import { toAppError } from '@parlance/platform';
import type { Closing } from '../../live/socket/live-protocol.js';
import { closeCodeOf } from '../../live/socket/close-codes.js';

const POLICY_VIOLATION = 1008;
const TOO_BIG = 1009;
const SERVER_ERROR = 1011;
const APPLICATION = 4000;
/** Bytes of a reason (RFC 6455, section 5.5). */
const MAX_REASON_BYTES = 123;

/** Deepgram's names of errors by the HTTP status that the same error has. */
const NAMES: Readonly<Record<number, string>> = { 401: 'INVALID_AUTH', 403: 'INSUFFICIENT_PERMISSIONS', 408: 'NET-0001', 413: 'PAYLOAD_TOO_LARGE', 415: 'DATA-0000', 429: 'TOO_MANY_REQUESTS', 500: 'NET-0000', 503: 'NET-0000' };

/** The end of a connection as Deepgram's clients read it: DATA-0000 for bytes that are no audio, NET-0001 for a client that sends nothing. */
export function deepgramClosing(thrown: unknown): Closing {
  const { message, kind } = toAppError(thrown);
  const own = closeCodeOf(thrown);
  const status = own >= APPLICATION ? own - APPLICATION : 503;
  const name = kind === 'payment_required' ? 'ASR_PAYMENT_REQUIRED' : (NAMES[status] ?? 'DATA-0000');
  return { code: codeOf(own, status), reason: shortened(`${name}: ${message}`) };
}

function codeOf(own: number, status: number): number {
  // Restart and no capacity: RFC 6455's registry has codes for them.
  if (own < APPLICATION) return own;
  if (status === 413) return TOO_BIG;
  return status === 408 || status >= 500 ? SERVER_ERROR : POLICY_VIOLATION;
}

const shortened = (text: string): string => Buffer.from(text).subarray(0, MAX_REASON_BYTES).toString('utf8').replace(/\ufffd$/, '');
