import { AppError, toAppError } from '@parlance/platform';

/** Milliseconds between two checks: with the time of a check, less than the five seconds that are promised. */
const CHECK_EVERY_MS = 2500;

/**
 * Passes on the pieces of a job's media while the job has media. What was opened before the job was erased must not be readable
 * afterwards. A check that fails for another reason ends nothing.
 * @param requireKept throws an error of the kind not_found when there is no media any more
 * @throws AppError media_gone
 */
export async function* whileKept(pieces: AsyncIterable<Uint8Array>, requireKept: () => Promise<void>, checkEveryMs = CHECK_EVERY_MS): AsyncGenerator<Uint8Array> {
  let checkedAt = performance.now();
  for await (const piece of pieces) {
    if (performance.now() - checkedAt >= checkEveryMs) {
      await requireKept().catch(endIfGone);
      checkedAt = performance.now();
    }
    yield piece;
  }
}

function endIfGone(error: unknown): void {
  if (toAppError(error).kind === 'not_found') throw new AppError({ code: 'media_gone', message: 'The media was erased while it was read.', cause: error });
}
