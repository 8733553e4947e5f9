import { setTimeout as sleep } from 'node:timers/promises';

/** Seconds before the second try; before the third it is four times that. Tests of the runner shorten it. */
const PAUSE_SECONDS = Number(process.env.CI_PAUSE_SECONDS ?? 5);

/**
 * Tries again what depends on the network, twice and after a pause.
 * @throws the last error
 */
export async function thrice(attempt) {
  for (const seconds of [PAUSE_SECONDS, 4 * PAUSE_SECONDS]) {
    try {
      return await attempt();
    } catch (error) {
      console.log(`${error.message}; again in ${seconds} s`);
      await sleep(seconds * 1000);
    }
  }
  return attempt();
}
