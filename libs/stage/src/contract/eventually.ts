import { setTimeout as pause } from 'node:timers/promises';

/** Waits until the condition holds. @throws Error when it does not for a minute. */
export async function eventually(what: string, condition: () => unknown): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`${what} did not come about`);
    await pause(5);
  }
}
