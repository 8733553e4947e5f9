import { setTimeout as sleep } from 'node:timers/promises';
import { TIME_FACTOR } from './time-factor.js';

const MIN_PAUSE_MS = 20;
const MAX_PAUSE_MS = 250;

/** A tenth of the time waited so far: a long wait ends at most that much later, and costs a few dozen requests instead of thousands. */
const pauseAfter = (waitedMs: number): number => Math.min(Math.max(waitedMs / 10, MIN_PAUSE_MS), MAX_PAUSE_MS);

/**
 * Polls until the condition returns a value.
 * @param everyMs a fixed interval, for a state that passes soon
 * @throws Error naming what was waited for
 */
export async function eventually<T>(what: string, condition: () => Promise<T | undefined | false> | T | undefined | false, limitMs = 100_000, everyMs?: number): Promise<T> {
  const begin = Date.now();
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== false) return result;
    const waitedMs = Date.now() - begin;
    if (waitedMs > limitMs * TIME_FACTOR) throw new Error(`timed out waiting for ${what}`);
    await sleep(everyMs ?? pauseAfter(waitedMs));
  }
}
