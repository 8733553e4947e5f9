import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { AppError, toAppError } from './app-error.js';
import { printedExhaustion } from './exhausted-resource.js';
import { isOutage, isWaitedFor, outageOf } from './outage.js';

const thrownBy = (code: string, syscall = 'open') => Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
const ofSqlite = (errcode: number) => Object.assign(new Error('database error'), { code: 'ERR_SQLITE_ERROR', errcode });

describe('an outage', () => {
  it.each([
    ['a full disk', thrownBy('ENOSPC', 'write'), 'storage_full'],
    ['a quota that is used up', thrownBy('EDQUOT', 'write'), 'storage_full'],
    ['no descriptor left in the process', thrownBy('EMFILE'), 'service_unavailable'],
    ['no descriptor left on the machine', thrownBy('ENFILE'), 'service_unavailable'],
    ['no memory left', thrownBy('ENOMEM', 'spawn ffmpeg'), 'service_unavailable'],
    ['no process left', thrownBy('EAGAIN', 'spawn ffmpeg'), 'service_unavailable'],
    ['no descriptor left for a thread', Object.assign(new Error('Worker initialization failure: EMFILE'), { code: 'ERR_WORKER_INIT_FAILED' }), 'service_unavailable'],
    ['SQLITE_FULL', ofSqlite(13), 'storage_full'],
    ['SQLITE_IOERR_SHMSIZE', ofSqlite(4874), 'storage_full'],
    ['SQLITE_IOERR_WRITE', ofSqlite(778), 'database_unavailable'],
    ['SQLITE_CANTOPEN', ofSqlite(14), 'database_unavailable'],
    ['SQLITE_NOMEM', ofSqlite(7), 'database_unavailable'],
    ['a server that is away', new AppError({ kind: 'unavailable', code: 'media_store_unavailable', message: 'Away.' }), 'media_store_unavailable'],
    ['a disk that fails', new AppError({ kind: 'unavailable', code: 'storage_failed', message: 'It failed.' }), 'storage_failed'],
  ])('is %s', (_what, thrown, code) => {
    expect(outageOf(thrown)).toMatchObject({ kind: 'unavailable', code, retryable: true });
  });

  it('is what SQLite throws that cannot open its file', () => {
    let thrown: unknown;
    try {
      new DatabaseSync('/no/such/folder/file.db').close();
    } catch (error) {
      thrown = error;
    }
    expect(outageOf(thrown)).toMatchObject({ code: 'database_unavailable', cause: thrown });
  });

  it('is found behind the error of an engine or of a fetch', () => {
    const engine = new AppError({ kind: 'unavailable', code: 'engine_failed', message: 'Not started.', cause: thrownBy('EMFILE', 'spawn') });
    expect(outageOf(new TypeError('fetch failed', { cause: engine }))).toMatchObject({ code: 'service_unavailable' });
  });

  it.each([
    ["sh: write error: No space left on device", 'storage_full'],
    ["Error: ENOSPC: no space left on device, write", 'storage_full'],
    ["/bin/sh: 1: Cannot fork", 'service_unavailable'],
    ["node: error while loading shared libraries: libdl.so.2: cannot open shared object file: Error 24", 'service_unavailable'],
    ["Assertion failed: (uv_loop_init(&tracing_loop_)) == (0)", 'service_unavailable'],
    ["terminate called after throwing an instance of 'std::bad_alloc'", 'service_unavailable'],
    ["sandbox: /usr/bin/ffmpeg: Cannot allocate memory", 'service_unavailable'],
  ])('is what a child process reports as: %s', (printed, code) => {
    expect(outageOf(printedExhaustion(printed))).toMatchObject({ code });
  });

  it('is not every error that a child process prints', () => {
    for (const printed of ['', 'ERROR: the model is broken', 'No such file or directory', 'Segmentation fault']) expect(printedExhaustion(printed)).toBeUndefined();
  });

  it('is not what is larger than the disk, an engine that fails, a file that is missing, a busy socket, or a circle of causes', () => {
    const tooLarge = new AppError({ kind: 'unavailable', code: 'storage_full', message: 'Larger than the disk.', retryable: false });
    const engine = new AppError({ kind: 'unavailable', code: 'engine_failed', message: 'The engine crashed.' });
    const circle = new Error('one');
    circle.cause = circle;
    for (const thrown of [tooLarge, engine, thrownBy('ENOENT'), thrownBy('EAGAIN', 'read'), ofSqlite(19), circle, undefined, 'ENOSPC']) expect(isOutage(thrown)).toBe(false);
  });

  it('is not scratch room that other jobs hold, which is waited for all the same', () => {
    const busy = new Error('not prepared', { cause: new AppError({ kind: 'unavailable', code: 'scratch_busy', message: 'Other jobs hold the room.' }) });
    expect([isOutage(busy), isWaitedFor(busy)]).toEqual([false, true]);
    expect([isWaitedFor(thrownBy('ENOSPC', 'write')), isWaitedFor(new Error('a defect'))]).toEqual([true, false]);
  });

  it('has a public code that tells nothing of what is inside', () => {
    const { code, message, retryable } = toAppError(thrownBy('EMFILE', 'open /var/lib/secret'));
    expect({ code, message, retryable }).toEqual({ code: 'service_unavailable', message: 'The service has run out of file descriptors or memory.', retryable: true });
  });
});
