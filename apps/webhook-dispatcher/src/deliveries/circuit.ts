import type { AttemptResult } from './delivery.js';

/** The recent failures of a receiver; a receiver without a circuit answers. */
export interface Circuit {
  /** Attempts that failed one after the other. */
  failures: number;
  /** When the first of them failed. */
  since: string;
  /** Until then nothing is sent; then one webhook, whose outcome closes the circuit or opens it again. */
  openUntil?: string;
  /** Milliseconds for which the circuit was opened the last time. */
  restMs?: number;
}

/** Failures that open the circuit when they last for `FOR_MS`: neither a short outage nor a single webhook that the receiver refuses does. */
const FAILURES = 5;
const FOR_MS = 10_000;
/** So many failures open it however fast they come. */
const MANY_FAILURES = 20;
const FIRST_REST_MS = 5_000;
const MAX_REST_MS = 5 * 60_000;
/** Part of a rest that is random, in either direction, as in the retry schedule. */
const JITTER = 0.2;

export interface AttemptEnd {
  /** `gone` and `refused` say nothing about the receiver's health. */
  outcome: AttemptResult['outcome'];
  now: Date;
  /** 0 ≤ random < 1. */
  random: number;
}

export const isOpen = (circuit: Circuit | undefined): circuit is Circuit & { openUntil: string } => circuit?.openUntil !== undefined;

/** The circuit after an attempt; undefined once the receiver has accepted a webhook. */
export function circuitAfter(circuit: Circuit | undefined, { outcome, now, random }: AttemptEnd): Circuit | undefined {
  if (outcome === 'delivered') return undefined;
  if (outcome !== 'retry') return circuit;
  const since = circuit?.since ?? now.toISOString();
  const failures = (circuit?.failures ?? 0) + 1;
  const lasting = failures >= FAILURES && now.getTime() - Date.parse(since) >= FOR_MS;
  if (!lasting && failures < MANY_FAILURES && !isOpen(circuit)) return { failures, since };
  const restMs = Math.min(MAX_REST_MS, circuit?.restMs === undefined ? FIRST_REST_MS : 2 * circuit.restMs);
  const openUntil = new Date(now.getTime() + restMs * (1 - JITTER + 2 * JITTER * random)).toISOString();
  return { failures, since, openUntil, restMs };
}
