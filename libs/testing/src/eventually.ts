import { setTimeout as sleep } from 'node:timers/promises';

/** Looks until the condition gives something. @throws Error naming what was waited for */
export async function eventually<T>(what: string, condition: () => Promise<T | undefined | false> | T | undefined | false, limitMs = 100_000, everyMs = 20): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await sleep(everyMs);
  }
}
