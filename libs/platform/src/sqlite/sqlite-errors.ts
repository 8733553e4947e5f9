import { AppError } from '../errors/app-error.js';

/** Primary result codes, https://www.sqlite.org/rescode.html */
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
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

/** Whether the file itself is broken, or something else altogether. */
export const isDamage = (thrown: unknown): boolean => [SQLITE_CORRUPT, SQLITE_NOTADB].includes(resultCode(thrown) ?? 0);

/** A full disk and a file that another process holds as the AppErrors they are; anything else as it came. */
export function fromSqliteError(thrown: unknown): unknown {
  const code = resultCode(thrown);
  if (code === SQLITE_FULL) {
    return new AppError({ kind: 'unavailable', code: 'storage_full', message: 'The storage is full.', cause: thrown });
  }
  if (code === SQLITE_BUSY) {
    return new AppError({ kind: 'unavailable', code: 'storage_busy', message: 'The storage is in use by another process.', cause: thrown });
  }
  return thrown;
}
