import { describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { mongo } from 'mongoose';
import { fromMongoError, isDuplicateKey, isRefusal } from './mongo-errors.js';

const server = (code: number, labels: string[] = []) => {
  const error = new mongo.MongoServerError({ message: 'no', code });
  labels.forEach((label) => error.addErrorLabel(label));
  return error;
};

describe('errors of MongoDB', () => {
  const unavailable = expect.objectContaining({ kind: 'unavailable', code: 'database_unavailable', retryable: true });

  it.each([
    ['a connection that is lost', new mongo.MongoNetworkError('closed')],
    ['a socket that fails', Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET', syscall: 'write' })],
    ['no server in time', new mongo.MongoServerSelectionError('none', {} as never)],
    ['no server in time for a bulk write', new mongo.MongoBulkWriteError(new mongo.MongoServerSelectionError('none', {} as never) as never, {} as never)],
    ['a primary that steps down', server(189)],
    ['a server that is no primary', server(10107)],
    ['a write without a majority', new mongo.MongoWriteConcernError({ ok: 1, writeConcernError: { code: 64, errmsg: 'waiting' } } as never)],
    ['whatever the server says may be tried again', server(1, ['RetryableWriteError'])],
    ['a wrong password', server(18)],
  ])('are the absence of the database: %s', (_, error) => {
    expect(fromMongoError(error)).toEqual(unavailable);
    expect(fromMongoError(error)).toMatchObject({ cause: error });
  });

  it('tell a full disk', () => {
    expect(fromMongoError(server(14031))).toMatchObject({ kind: 'unavailable', code: 'storage_full' });
  });

  it('tell a duplicate and a refusal', () => {
    expect([isDuplicateKey(server(11000)), isDuplicateKey(server(18)), isDuplicateKey(new Error('no'))]).toEqual([true, false, false]);
    expect([isRefusal(server(18)), isRefusal(server(13)), isRefusal(server(11000)), isRefusal(undefined)]).toEqual([true, true, false, false]);
  });

  it('are left as they are when they are defects, or known already', () => {
    const defect = new TypeError('no');
    const known = new AppError({ kind: 'conflict', code: 'duplicate', message: 'no' });
    expect([fromMongoError(defect), fromMongoError(server(2)), fromMongoError(known)]).toEqual([defect, expect.objectContaining({ code: 2 }), known]);
  });
});
