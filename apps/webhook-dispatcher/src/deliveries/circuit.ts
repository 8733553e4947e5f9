/** How a receiver has done of late; without one it does well. */
export interface Circuit {
  /** Tries that failed one after the other. */
  failures: number;
  /** When the first of them failed. */
  since: string;
  /** Until then nothing is sent; then one webhook, which decides how it goes on. */
  openUntil?: string;
  /** Milliseconds that it was left alone the last time. */
  restMs?: number;
}

/** It keeps failing: not a moment's trouble, nor a single webhook that it does not like. */
const FAILURES = 5;
const FOR_MS = 10_000;
/** So many are enough in any time. */
const MANY_FAILURES = 20;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 5 * 60_000;
/** As the schedule's. */
const JITTER = 0.2;

export interface TryEnd {
  /** `answered` says nothing of its health: 410, or an address that is refused. */
  outcome: 'well' | 'failed' | 'answered';
  now: Date;
  /** 0 ≤ random < 1. */
  random: number;
}

export const isOpen = (circuit: Circuit | undefined): circuit is Circuit & { openUntil: string } => circuit?.openUntil !== undefined;

/** The circuit after a try; undefined once the receiver does well. */
export function afterTryOf(circuit: Circuit | undefined, { outcome, now, random }: TryEnd): Circuit | undefined {
  if (outcome === 'answered') return circuit;
  if (outcome === 'well') return undefined;
  const since = circuit?.since ?? now.toISOString();
  const failures = (circuit?.failures ?? 0) + 1;
  const lasting = failures >= FAILURES && now.getTime() - Date.parse(since) >= FOR_MS;
  if (!lasting && failures < MANY_FAILURES && !isOpen(circuit)) return { failures, since };
  const restMs = Math.min(LONGEST_REST_MS, circuit?.restMs === undefined ? FIRST_REST_MS : 2 * circuit.restMs);
  const openUntil = new Date(now.getTime() + restMs * (1 - JITTER + 2 * JITTER * random)).toISOString();
  return { failures, since, openUntil, restMs };
}
