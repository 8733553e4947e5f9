/** The fields of the AppError for an exhausted resource. */
interface ExhaustedResource {
  code: 'storage_full' | 'service_unavailable' | 'database_unavailable';
  message: string;
}

const FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/** Descriptors of the process and of the machine, memory. */
const USED_UP: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS']);

/** Primary result codes, https://www.sqlite.org/rescode.html */
const SQLITE_NOMEM = 7;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
/** Extended: the shared memory beside the log could not grow. */
const SQLITE_IOERR_SHMSIZE = 4874;

const STORAGE_FULL: ExhaustedResource = { code: 'storage_full', message: 'The storage is full.' };
const PROCESS_EXHAUSTED: ExhaustedResource = { code: 'service_unavailable', message: 'The service has run out of file descriptors or memory.' };
const DATABASE_UNAVAILABLE: ExhaustedResource = { code: 'database_unavailable', message: 'The database is unavailable.' };

/** Maps an error of the operating system or of node:sqlite to the resource that is exhausted; undefined for any other error. */
export function exhaustedResource(thrown: unknown): ExhaustedResource | undefined {
  const { code, syscall, errcode, message } = (thrown ?? {}) as { code?: unknown; syscall?: unknown; errcode?: unknown; message?: unknown };
  if (FULL_DISK.has(code)) return STORAGE_FULL;
  if (USED_UP.has(code) || (code === 'EAGAIN' && String(syscall).startsWith('spawn'))) return PROCESS_EXHAUSTED;
  if (code === 'ERR_WORKER_INIT_FAILED' && /\b(EMFILE|ENFILE|ENOMEM|EAGAIN)\b/.test(String(message))) return PROCESS_EXHAUSTED;
  return typeof errcode === 'number' ? exhaustedBySqlite(errcode) : undefined;
}

function exhaustedBySqlite(errcode: number): ExhaustedResource | undefined {
  const primary = errcode & 0xff;
  if (primary === SQLITE_FULL || errcode === SQLITE_IOERR_SHMSIZE) return STORAGE_FULL;
  // SQLite hides which system call failed: with no descriptor left it cannot open, and each I/O error is the disk's.
  if (primary === SQLITE_NOMEM || primary === SQLITE_CANTOPEN || primary === SQLITE_IOERR) return DATABASE_UNAVAILABLE;
  return undefined;
}

/** The same errors as programs print them under LC_ALL=C, and as Node, ld.so, shells and C++ report them at their start. */
const PRINTED: readonly (readonly [text: RegExp, code: string])[] = [
  [/no space left on device|disk quota exceeded/i, 'ENOSPC'],
  [/too many open files|cannot open shared object file: Error 2[34]\b|uv_loop_init|pipe call failed/i, 'EMFILE'],
  [/cannot allocate memory|std::bad_alloc|cannot fork|fork: resource temporarily|fork: retry|alloc\([\d,]{1,40}\) failed/i, 'ENOMEM'],
];

/** Finds an exhausted resource in what a child process printed before it failed: an error to be the cause of that failure. */
export function printedExhaustion(log: string): Error | undefined {
  const code = PRINTED.find(([text]) => text.test(log))?.[1];
  return code === undefined ? undefined : Object.assign(new Error(`A child process reported ${code}.`), { code });
}
