import { toAppError, type AppError } from './app-error.js';
import { knownEntry } from './error-registry.js';

/** Causes of causes that are looked at: a chain may be a circle. */
const MAX_DEPTH = 8;

/**
 * The outage behind an error, in it or in its causes: a server or service of our own is away, or the disk is full or fails, or
 * descriptors or memory are used up. Nothing is wrong with the work then, and it is worth waiting for.
 * A `storage_full` that is not retryable is none: what it was thrown for is larger than the disk.
 */
export const outageOf = (thrown: unknown): AppError | undefined => findInCauses(thrown, isOutageCode);

export const isOutage = (thrown: unknown): boolean => outageOf(thrown) !== undefined;

/**
 * An outage, or scratch room that other jobs hold (`scratch_busy`). Tries that end so are no failures of the work and do not count.
 * Busy room is no outage: it is ordinary load, and no operator has to act.
 */
export const isWaitedFor = (thrown: unknown): boolean => findInCauses(thrown, (error) => isOutageCode(error) || error.code === 'scratch_busy') !== undefined;

const isOutageCode = ({ code, retryable }: AppError): boolean => knownEntry(code)?.isOutage === true && (code !== 'storage_full' || retryable);

function findInCauses(thrown: unknown, isWanted: (error: AppError) => boolean): AppError | undefined {
  let cause: unknown = thrown;
  for (let depth = 0; depth < MAX_DEPTH && typeof cause === 'object' && cause !== null; depth += 1) {
    const error = toAppError(cause);
    if (isWanted(error)) return error;
    cause = (cause as { cause?: unknown }).cause;
  }
  return undefined;
}
