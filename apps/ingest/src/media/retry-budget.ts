import { AppError } from '@parlance/platform';
import type { FetchLimits } from './fetch-limits.js';
import { mediaError } from './media-error.js';

const STALLS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const TIMEOUTS = new Set([...STALLS, 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);

/** An answer like 429 or 503: another try may get the media. */
export class TransientAnswer extends Error {
  constructor(
    readonly status: number,
    readonly retryAfterMs: number | undefined,
  ) {
    super(`The media server answered ${status}.`);
  }
}

/** Counts the failures of one fetch and decides whether another try makes sense. */
export class RetryBudget {
  #failures = 0;
  #furthest = 0;
  /** What the stalled tries since the last byte amount to. */
  #silenceMs = 0;

  constructor(
    private readonly limits: FetchLimits,
    private readonly random: () => number,
  ) {}

  /** Bytes from the start that some try has brought. */
  get furthest(): number {
    return this.#furthest;
  }

  /** Bytes up to `offset` have come; only what no earlier try brought counts as progress. */
  received(offset: number): void {
    this.#silenceMs = 0;
    if (offset <= this.#furthest) return;
    this.#furthest = offset;
    this.#failures = 0;
  }

  /** @returns milliseconds to wait before the next try. @throws AppError what the fetch ends with: the failure itself when it is final. */
  failed(failure: unknown): number {
    if (failure instanceof AppError) throw failure;
    this.#failures += 1;
    if (STALLS.has(codeOf(failure))) this.#silenceMs += this.limits.stallMs;
    if (this.#silenceMs >= this.limits.silenceMs || this.#failures >= this.limits.maxTries) throw finalError(failure);
    const backoff = Math.min(this.limits.initialBackoffMs * 2 ** (this.#failures - 1), this.limits.maxBackoffMs);
    const asked = failure instanceof TransientAnswer ? Math.min(failure.retryAfterMs ?? 0, this.limits.maxRetryAfterMs) : 0;
    return Math.max(asked, backoff * (0.5 + this.random() / 2));
  }
}

function finalError(failure: unknown): AppError {
  const code = codeOf(failure);
  if (TIMEOUTS.has(code)) return mediaError('media_timeout', 'The media server sent nothing for too long.', { cause: failure });
  if (failure instanceof TransientAnswer) return mediaError('media_unreachable', failure.message, { cause: failure });
  if (code === 'ENOTFOUND') return mediaError('media_unreachable', 'The host name of the media is not known.', { cause: failure });
  if (code === 'ECONNREFUSED') return mediaError('media_unreachable', 'The media server refused the connection.', { cause: failure });
  if (/CERT|TLS|SSL|SIGNATURE/.test(code)) return mediaError('media_unreachable', 'No trusted TLS connection to the media server was possible.', { cause: failure });
  return mediaError('media_unreachable', 'The connection to the media server was lost again and again.', { cause: failure });
}

function codeOf(failure: unknown): string {
  const { code, errors } = (failure ?? {}) as { code?: unknown; errors?: { code?: unknown }[] };
  return String(code ?? errors?.[0]?.code ?? '');
}
