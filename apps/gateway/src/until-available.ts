import { AppError, pause, retryDelay, type Logger } from '@parlance/platform';

const BACK_OFF = { initialDelayMs: 200, maxDelayMs: 5000 };

/** Tries a step of the start again until the services that it needs answer: ingest, which has the keys of encrypted documents, may start later. @throws AppError other than unavailable */
export async function untilAvailable<T>(work: () => Promise<T>, log: Pick<Logger, 'warn'>, backOff = BACK_OFF): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'unavailable' || !error.retryable) throw error;
      const waitMs = retryDelay(failures, backOff, Math.random());
      log.warn({ err: error, failures, retry_in_ms: waitMs }, 'the start waits for another service');
      await pause(waitMs);
    }
  }
}
