import { AppError } from '../errors/app-error.js';
import { exhaustedResource } from '../errors/exhausted-resource.js';

/** Primary result codes, https://www.sqlite.org/rescode.html */
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_CONSTRAINT = 19;
const SQLITE_NOTADB = 26;

/** The primary result code of an error of node:sqlite; undefined for any other error. */
function resultCode(thrown: unknown): number | undefined {
  const code = (thrown as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

export const isConstraintViolation = (thrown: unknown): boolean => resultCode(thrown) === SQLITE_CONSTRAINT;

/** Another process has it locked. */
export const isBusy = (thrown: unknown): boolean => resultCode(thrown) === SQLITE_BUSY;

/** True when the file itself is damaged, or is not a database at all. */
export const isDamage = (thrown: unknown): boolean => [SQLITE_CORRUPT, SQLITE_NOTADB].includes(resultCode(thrown) ?? 0);

/** A full disk, a file that cannot be opened or read now, and one that another process holds as the AppErrors they are; anything else as it came. */
export function fromSqliteError(thrown: unknown): unknown {
  if (thrown instanceof AppError) return thrown;
  const exhausted = exhaustedResource(thrown);
  if (exhausted) return new AppError({ ...exhausted, cause: thrown });
  if (!isBusy(thrown)) return thrown;
  return new AppError({ kind: 'unavailable', code: 'storage_busy', message: 'The storage is in use by another process.', cause: thrown });
}
