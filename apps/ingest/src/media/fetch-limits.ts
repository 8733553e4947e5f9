/** Limits of a media fetch; times in milliseconds. Tests give their own. */
export interface FetchLimits {
  maxBytes: number;
  /** Redirects followed before the answer is no answer. */
  maxRedirects: number;
  /** A try that receives nothing for so long is given up and resumed. */
  stallMs: number;
  /** Without a byte for so long over all tries: `media_timeout`. */
  silenceMs: number;
  /** The whole fetch: `media_timeout`. */
  totalMs: number;
  /** Tries in a row that bring nothing new. */
  maxTries: number;
  /** Before the second try; doubles each time, with jitter. */
  initialBackoffMs: number;
  maxBackoffMs: number;
  /** A longer `Retry-After` is cut to this. */
  maxRetryAfterMs: number;
}

export const DEFAULT_FETCH_LIMITS: FetchLimits = {
  maxBytes: 5 * 1024 ** 3,
  maxRedirects: 5,
  stallMs: 30_000,
  silenceMs: 60_000,
  totalMs: 600_000,
  maxTries: 5,
  initialBackoffMs: 500,
  maxBackoffMs: 8_000,
  maxRetryAfterMs: 60_000,
};
