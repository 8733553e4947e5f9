import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';

/** Milliseconds between looks. */
const RETRY = { firstMs: 500, maxMs: 30_000 };

/** Says in the log, until the media store answers for the first time, that it does not and why; the adapters of the other servers say so themselves. */
export async function untilMediaAnswers(media: Pick<MediaStore, 'check'>, log: Logger, signal: AbortSignal, { firstMs, maxMs } = RETRY): Promise<void> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      await media.check();
      if (failures > 1) log.info('media store available');
      return;
    } catch (error) {
      const waitMs = Math.min(maxMs, firstMs * 2 ** (failures - 1));
      log.warn({ err: error, failures, retry_in_ms: waitMs }, 'media store unavailable; trying again');
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }
}
