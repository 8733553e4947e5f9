/** The requests per minute; a caller that was idle may send as many at once. */
export interface RatePolicy {
  perMinute: number;
}

/**
 * The tokens left, and the time of that state (milliseconds since the epoch). Below zero when replicas admitted more before
 * they synchronised.
 */
export interface Bucket {
  tokens: number;
  atMs: number;
}

/** In which as many tokens come as a full bucket has, milliseconds. */
export const WINDOW_MS = 60_000;

export const fullBucket = ({ perMinute }: RatePolicy, atMs: number): Bucket => ({ tokens: perMinute, atMs });

/** The bucket at a later time; a clock that is behind the one that wrote it adds nothing. */
export function refilled({ tokens, atMs }: Bucket, { perMinute }: RatePolicy, nowMs: number): Bucket {
  const at = Math.max(atMs, nowMs);
  return { tokens: Math.min(perMinute, tokens + ((at - atMs) / WINDOW_MS) * perMinute), atMs: at };
}

/** Milliseconds until so many tokens are there. */
export const millisecondsUntil = (wanted: number, tokens: number, { perMinute }: RatePolicy): number =>
  Math.max(0, ((wanted - tokens) / perMinute) * WINDOW_MS);

/** Requests that a replica lets through before it has to hear what the others did. */
export const batchOf = ({ perMinute }: RatePolicy): number => Math.max(1, Math.ceil(perMinute / 20));
