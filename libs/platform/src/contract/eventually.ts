import { setTimeout as pause } from 'node:timers/promises';
import { TIME_FACTOR } from './time-factor.js';

const MAX_MS = 100_000 * TIME_FACTOR;

/** Waits until the condition holds. @throws Error when it does not for a hundred seconds, more on a slow machine. */
export async function eventually(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const begin = Date.now();
  while (!(await condition())) {
    const waitedMs = Date.now() - begin;
    if (waitedMs > MAX_MS) throw new Error(`${what} did not come true`);
    // A condition may read a whole journal, so the pauses between reads grow.
    await pause(Math.min(5 + waitedMs / 10, 100));
  }
}
