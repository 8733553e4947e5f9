import { errorCode, noAnswerReason, type NoAnswerReason } from '@parlance/egress';
import { AppError, isOutage, retryDelay } from '@parlance/platform';
import type { FetchLimits } from './fetch-limits.js';
import { mediaError } from './media-error.js';

const STALLS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

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
  /** Sum of the stalled tries since the last byte. */
  #silenceMs = 0;
  #answered = false;

  constructor(
    private readonly limits: FetchLimits,
    private readonly random: () => number,
  ) {}

  /** Bytes from the start that some try has brought. */
  get furthest(): number {
    return this.#furthest;
  }

  /** True when the server has begun to answer the try that runs, or ran last. */
  get answered(): boolean {
    return this.#answered;
  }

  /** Around each request: without an answer, the failure says nothing of the server. */
  asking(): void {
    this.#answered = false;
  }

  headReceived(): void {
    this.#answered = true;
  }

  /** Bytes up to `offset` have come; only what no earlier try brought counts as progress. */
  received(offset: number): void {
    this.#silenceMs = 0;
    if (offset <= this.#furthest) return;
    this.#furthest = offset;
    this.#failures = 0;
  }

  /** @returns milliseconds to wait before the next try. @throws AppError what the fetch ends with: the failure itself when it is final, or an outage of this machine's. */
  failed(failure: unknown): number {
    if (failure instanceof AppError || isOutage(failure)) throw failure;
    this.#failures += 1;
    if (STALLS.has(errorCode(failure))) this.#silenceMs += this.limits.stallMs;
    if (this.#silenceMs >= this.limits.silenceMs || this.#failures >= this.limits.maxTries) throw this.#answered || failure instanceof TransientAnswer ? brokenAnswer(failure) : noAnswer(failure);
    const { initialBackoffMs: initialDelayMs, maxBackoffMs: maxDelayMs } = this.limits;
    const backoff = retryDelay(this.#failures, { initialDelayMs, maxDelayMs }, this.random());
    const asked = failure instanceof TransientAnswer ? Math.min(failure.retryAfterMs ?? 0, this.limits.maxRetryAfterMs) : 0;
    return Math.max(asked, backoff);
  }
}

/** The error of a fetch that got no answer at all: refused, reset, unreachable, filtered and silent ports read the same. */
export const noAnswer = (failure: unknown): AppError => mediaError('media_unreachable', NO_ANSWER[noAnswerReason(failure)], { cause: failure });

const NO_ANSWER: Record<NoAnswerReason, string> = {
  unknown_host: 'The host name of the media cannot be resolved.',
  untrusted_certificate: 'The TLS certificate of the media server is not trusted.',
  no_answer: 'The media server did not respond.',
};

function brokenAnswer(failure: unknown): AppError {
  if (failure instanceof TransientAnswer) return mediaError('media_unreachable', failure.message, { cause: failure });
  if (STALLS.has(errorCode(failure))) return mediaError('media_timeout', 'The media server sent no data for too long.', { cause: failure });
  return mediaError('media_unreachable', 'The connection to the media server was lost repeatedly.', { cause: failure });
}
