import { setTimeout as sleep } from 'node:timers/promises';

/** Seconds before the second try; before the third it is four times that. Tests of the runner shorten it. */
const PAUSE_SECONDS = Number(process.env.CI_PAUSE_SECONDS ?? 5);

/**
 * Tries what depends on the network up to three times, with pauses.
 * @throws the error of the last try, or of one that says that another is of no use (`isFinal`)
 */
export async function threeTries(attempt, signal) {
  for (const seconds of [PAUSE_SECONDS, 4 * PAUSE_SECONDS]) {
    try {
      return await attempt();
    } catch (error) {
      if (error.isFinal || signal.aborted) throw error;
      console.log(`${error.message}; again in ${seconds} s`);
      await sleep(seconds * 1000, undefined, { signal });
    }
  }
  return attempt();
}
