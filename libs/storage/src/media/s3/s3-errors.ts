import { AppError, toAppError } from '@parlance/platform';

interface Thrown {
  name?: unknown;
  /** The system call of an operating system error. */
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
const isMissingBucket = (thrown: unknown): boolean => nameOf(thrown) === 'NoSuchBucket';
/** A range that begins behind the end. */
export const isPastEnd = (thrown: unknown): boolean => nameOf(thrown) === 'InvalidRange' || statusOf(thrown) === 416;

/** Maps the store's absence, refusal and full disk to AppErrors, and returns any other error unchanged. */
export function fromS3Error(thrown: unknown): unknown {
  if (thrown instanceof AppError) return thrown;
  if (FULL.has(nameOf(thrown)) || statusOf(thrown) === 507) {
    return new AppError({ kind: 'unavailable', code: 'storage_full', message: 'The storage is full.', cause: thrown });
  }
  if (isMissingBucket(thrown)) return storeUnavailable('The bucket of the media store does not exist.', thrown);
  if (REFUSED.has(statusOf(thrown))) return storeUnavailable('The media store refused the credentials, or they lack a permission.', thrown);
  if (isAway(thrown)) return storeUnavailable('The media store is unavailable.', thrown);
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
