import { AppError, toAppError } from '@parlance/platform';

interface Thrown {
  name?: unknown;
  /** Of an error of the operating system. */
  syscall?: unknown;
  $metadata?: { httpStatusCode?: number };
}

const MISSING = new Set<unknown>(['NoSuchKey', 'NotFound']);
const FULL = new Set<unknown>(['XMinioStorageFull', 'QuotaExceeded', 'XMinioAdminBucketQuotaExceeded', 'InsufficientCapacity']);
const REFUSED = new Set<unknown>([401, 403]);
const AWAY = new Set<unknown>(['TimeoutError', 'CredentialsProviderError', 'RequestTimeout', 'SlowDown', 'IncompleteBody']);

const statusOf = (thrown: unknown): number | undefined => (thrown as Thrown | null)?.$metadata?.httpStatusCode;
const nameOf = (thrown: unknown): unknown => (thrown as Thrown | null)?.name;

export const isMissingObject = (thrown: unknown): boolean => MISSING.has(nameOf(thrown));
export const isMissingUpload = (thrown: unknown): boolean => nameOf(thrown) === 'NoSuchUpload';
export const isMissingBucket = (thrown: unknown): boolean => nameOf(thrown) === 'NoSuchBucket';
/** A range that begins behind the end. */
export const isPastEnd = (thrown: unknown): boolean => nameOf(thrown) === 'InvalidRange' || statusOf(thrown) === 416;

/** What the store's absence, refusal and full disk are for callers; anything else as it came. */
export function fromS3Error(thrown: unknown): unknown {
  if (thrown instanceof AppError) return thrown;
  if (FULL.has(nameOf(thrown)) || statusOf(thrown) === 507) {
    return new AppError({ kind: 'unavailable', code: 'storage_full', message: 'The storage is full.', cause: thrown });
  }
  if (isMissingBucket(thrown)) return storeUnavailable('The media store has no such bucket.', thrown);
  if (REFUSED.has(statusOf(thrown))) return storeUnavailable('The media store refuses the credentials, or what they may do.', thrown);
  if (isAway(thrown)) return storeUnavailable('The media store cannot be used now.', thrown);
  const known = toAppError(thrown);
  return known.code === 'internal' ? thrown : known;
}

/** The SDK notes its attempts on what it throws: without a status among them there was no answer. */
function isAway(thrown: unknown): boolean {
  const { $metadata, syscall, name } = (thrown ?? {}) as Thrown;
  const status = $metadata?.httpStatusCode;
  return (status !== undefined && (status >= 500 || status === 429)) || ($metadata !== undefined && status === undefined) || typeof syscall === 'string' || AWAY.has(name);
}

export const storeUnavailable = (message: string, cause?: unknown): AppError =>
  new AppError({ kind: 'unavailable', code: 'media_store_unavailable', message, cause });
