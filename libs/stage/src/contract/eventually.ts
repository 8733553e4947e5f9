import { setTimeout as pause } from 'node:timers/promises';

/** Waits until the condition holds. @throws Error when it does not for a minute. */
export async function eventually(what: string, condition: () => unknown): Promise<void> {
  const begin = Date.now();
  while (!(await condition())) {
    const waitedMs = Date.now() - begin;
    if (waitedMs > 60_000) throw new Error(`${what} did not come about`);
    // A condition may read a whole journal, so the pauses between reads grow.
    await pause(Math.min(5 + waitedMs / 10, 100));
  }
}
