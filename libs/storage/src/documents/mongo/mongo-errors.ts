import { AppError } from '@parlance/platform';

/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const DUPLICATE_KEY = 11000;
const OUT_OF_DISK_SPACE = 14031;
const REFUSED: ReadonlySet<unknown> = new Set([13, 18, 8000]);
/** The server is stepping down, shutting down, catching up, or got no acknowledgement of a majority in time. */
const AWAY: ReadonlySet<unknown> = new Set([6, 7, 50, 63, 64, 89, 91, 134, 150, 189, 234, 262, 317, 358, 9001, 10058, 10107, 11600, 11602, 13388, 13435, 13436]);
/** Errors of the driver: no server was reached, or the connection was lost. */
const AWAY_NAMES: ReadonlySet<string> = new Set(
  ['Network', 'NetworkTimeout', 'ServerSelection', 'WaitQueueTimeout', 'NotConnected', 'TopologyClosed', 'ClientClosed', 'WriteConcern', 'OperationTimeout'].map((what) => `Mongo${what}Error`),
);
/** True for the errors of the connection pool, of which there are several. */
const isOfPool = (name: string): boolean => name.startsWith('MongoPool') && name.endsWith('Error');

interface Thrown {
  name?: unknown;
  code?: unknown;
  /** The system call of an operating system error. */
  syscall?: unknown;
  errorLabels?: readonly string[];
  errorLabelSet?: ReadonlySet<string>;
  /** The answer of the server; in an error of a bulk write also the error of the driver, when there was no answer. */
  errorResponse?: unknown;
}

export const isDuplicateKey = (thrown: unknown): boolean => codeOf(thrown) === DUPLICATE_KEY;

/** Wrong password, or a user that may not do it. */
export const isRefusal = (thrown: unknown): boolean => REFUSED.has(codeOf(thrown)) || REFUSED.has(codeOf((thrown as { cause?: unknown } | null)?.cause));

/** Maps the database's absence, refusal and full disk to AppErrors, and returns any other error unchanged. */
export function fromMongoError(thrown: unknown): unknown {
  if (thrown instanceof AppError) return thrown;
  if (codeOf(thrown) === OUT_OF_DISK_SPACE) {
    return new AppError({ kind: 'unavailable', code: 'storage_full', message: 'The storage is full.', cause: thrown });
  }
  return isAway(thrown) || isRefusal(thrown) ? databaseUnavailable(thrown) : thrown;
}

export const databaseUnavailable = (cause?: unknown): AppError =>
  new AppError({ kind: 'unavailable', code: 'database_unavailable', message: 'The database is unavailable.', cause });

function isAway(thrown: unknown): boolean {
  const { name, syscall, errorLabels, errorLabelSet, errorResponse } = (thrown ?? {}) as Thrown;
  const labels = [...(errorLabels ?? []), ...(errorLabelSet ?? [])];
  return (
    (typeof name === 'string' && (AWAY_NAMES.has(name) || isOfPool(name))) ||
    // The driver lets a socket that fails while a write waits for it through as it is.
    typeof syscall === 'string' ||
    AWAY.has(codeOf(thrown)) ||
    labels.some((label) => label === 'RetryableWriteError' || label === 'TransientTransactionError') ||
    (errorResponse instanceof Error && isAway(errorResponse))
  );
}

const codeOf = (thrown: unknown): unknown => (thrown as Thrown | null)?.code;
