import { setTimeout as sleep } from 'node:timers/promises';

const PAUSES_MS = [5000, 20_000];

/**
 * Tries again what depends on the network, twice and after a pause.
 * @throws the last error
 */
export async function thrice(attempt, pausesMs = PAUSES_MS) {
  for (const pauseMs of pausesMs) {
    try {
      return await attempt();
    } catch (error) {
      console.log(`${error.message}; again in ${pauseMs / 1000} s`);
      await sleep(pauseMs);
    }
  }
  return attempt();
}
