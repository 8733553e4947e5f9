import { describe, expect, it } from '@jest/globals';
import { AppError, toAppError } from './app-error.js';
import type { ErrorEntry } from './error-entry.js';
import { ERRORS, httpStatusOf, isErrorCode, isRetryable, type ErrorCode } from './error-registry.js';

describe('AppError', () => {
  it('has the kind of its code, and says whether another try makes sense by code and kind', () => {
    const described = ({ kind, retryable }: AppError) => ({ kind, retryable });
    expect(described(new AppError({ code: 'invalid_state', message: 'Not now.' }))).toEqual({ kind: 'conflict', retryable: false });
    expect(described(new AppError({ code: 'idempotency_in_flight', message: 'Wait.' }))).toEqual({ kind: 'conflict', retryable: true });
    expect(described(new AppError({ code: 'service_unavailable', kind: 'timeout', message: 'Late.' }))).toEqual({ kind: 'timeout', retryable: true });
  });

  it('takes only codes of the registry, with the kinds that they have there', () => {
    // @ts-expect-error -- no entry
    expect(() => new AppError({ code: 'no_such_code', message: '' })).toThrow(TypeError);
    // @ts-expect-error -- another kind
    expect(new AppError({ code: 'not_found', kind: 'conflict', message: '' }).kind).toBe('conflict');
  });
});

describe('an error code', () => {
  const codes = Object.keys(ERRORS).filter(isErrorCode);

  it('is in snake case, and has a text wherever it is public', () => {
    for (const code of codes) {
      const { problem, failure }: ErrorEntry = ERRORS[code];
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect([code, [problem?.title, problem?.text, failure?.text].includes('')]).toEqual([code, false]);
    }
  });

  it('is answered with a status of HTTP that says the same about another try', () => {
    const tryAgain = new Set([408, 409, 429, 500, 503]);
    const wrong = codes.filter((code) => isRetryable(code) && !tryAgain.has(httpStatusOf(code)) && isProblem(code));
    expect(wrong).toEqual([]);
  });
});

const isProblem = (code: ErrorCode): boolean => 'problem' in ERRORS[code];

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
