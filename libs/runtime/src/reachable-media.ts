import { pause, retryDelay, type Logger } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';

const BACK_OFF = { initialDelayMs: 500, maxDelayMs: 30_000 };

/** Logs each failed check of the media store until the first one succeeds. The adapters of the other servers log their own connections. */
export async function untilMediaAnswers(media: Pick<MediaStore, 'check'>, log: Logger, signal: AbortSignal, backoff = BACK_OFF): Promise<void> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      await media.check();
      if (failures > 1) log.info('media store available');
      return;
    } catch (error) {
      const waitMs = retryDelay(failures, backoff, 1);
      log.warn({ err: error, failures, retry_in_ms: waitMs }, 'media store unavailable; trying again');
      await pause(waitMs, signal);
    }
  }
}
