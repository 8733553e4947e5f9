import { describe, expect, it } from '@jest/globals';
import { AppError, toAppError } from './app-error.js';

describe('toAppError', () => {
  it('passes an AppError through', () => {
    const error = new AppError({ kind: 'timeout', code: 'media_timeout', message: 'No byte for 60 s.' });
    expect(toAppError(error)).toBe(error);
    expect(error.retryable).toBe(true);
  });

  it('calls a full disk storage_full, so that the caller may try again', () => {
    const error = toAppError(Object.assign(new Error('write'), { code: 'ENOSPC' }));
    expect(error).toMatchObject({ kind: 'unavailable', code: 'storage_full', retryable: true });
  });

  it('hides the message of an unknown error and keeps it as the cause', () => {
    const cause = new Error('connect 10.0.0.1:27017');
    const error = toAppError(cause);
    expect(error).toMatchObject({ kind: 'internal', code: 'internal', cause });
    expect(error.message).not.toContain('10.0.0.1');
  });
});
