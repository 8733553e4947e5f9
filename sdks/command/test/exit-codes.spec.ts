import { describe, expect, it } from '@jest/globals';
import { ApiError, ConnectionError, LiveSessionError, UnexpectedResponseError, type Problem } from '@parlance/client';
import { EXIT, exitCodeOf, type ExitCode } from '../src/exit-codes.js';
import { failureOf, Interruption, usageError } from '../src/failures.js';

const problem = (status: number, code: string, detail = 'It is so.') => new ApiError(status, { status, code, detail, request_id: 'req_1', retryable: false } as Problem, new Headers());

describe('the exit code of several inputs', () => {
  it.each<[string, ExitCode[], ExitCode]>([
    ['none', [], EXIT.ok],
    ['all ok', [0, 0], EXIT.ok],
    ['some failed', [0, 1, 0], EXIT.partlyFailed],
    ['all failed alike', [4, 4], EXIT.auth],
    ['all failed differently', [4, 1], EXIT.failure],
    ['interrupted after one', [0, 130], EXIT.interrupted],
  ])('%s', (_, codes, expected) => {
    expect(exitCodeOf(codes)).toBe(expected);
  });
});

describe('a failure', () => {
  it.each<[string, unknown, ExitCode, RegExp]>([
    ['a wrong key', problem(401, 'unauthenticated', 'The API key is not valid.'), EXIT.auth, /parlance login/],
    ['a key without the scope', problem(403, 'insufficient_scope'), EXIT.auth, /scope/],
    ['no minutes left', problem(402, 'quota_exhausted'), EXIT.limited, /parlance usage/],
    ['too many requests', problem(429, 'rate_limited'), EXIT.limited, /Try again/],
    ['a model that does not exist', problem(422, 'model_unknown'), EXIT.failure, /parlance doctor/],
    ['the page of a proxy', new UnexpectedResponseError(502, new Headers({ 'content-type': 'text/html; charset=utf-8' }), '<h1>'), EXIT.failure, /http:\/\/here answered with text\/html \(status 502\)/],
    ['a key that is revoked during a live session', new LiveSessionError('unauthenticated', 'The key was revoked.'), EXIT.auth, /^unauthenticated: The key was revoked\. Store/],
    ['no minutes left for a live session', new LiveSessionError('quota_exhausted', 'The minutes are used up.'), EXIT.limited, /parlance usage/],
    ['no server', new ConnectionError('failed', { cause: Object.assign(new Error('fetch failed'), { code: 'ECONNREFUSED' }) }), EXIT.failure, /no connection to http:\/\/here \(ECONNREFUSED\)/],
    ['a wrong command line', usageError('Name a file.'), EXIT.usage, /^Name a file\.$/],
    ['Ctrl-C', new Interruption(), EXIT.interrupted, /Interrupted/],
    ['a missing file', Object.assign(new Error('ENOENT'), { code: 'ENOENT', path: 'words.txt' }), EXIT.failure, /^words\.txt does not exist\.$/],
  ])('%s is one line that says what to do', (_, error, exitCode, message) => {
    const failure = failureOf(error, 'http://here');
    expect(failure.exitCode).toBe(exitCode);
    expect(failure.message).toMatch(message);
    expect(failure.message).not.toContain('\n');
  });
});
