import { toAppError, type AppError, type ErrorKind } from '@parlance/platform';
import { isProblemCode, PROBLEMS, type ProblemCode, type ProblemEntry } from './problem-catalogue.js';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** RFC 9457, with the members of ours that every problem has. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** The path that was asked for, without its query. */
  instance: string;
  code: string;
  request_id: string;
  retryable: boolean;
  errors?: { pointer: string; code: string; detail: string }[];
}

const STATUS: Record<ErrorKind, number> = {
  invalid: 422,
  unauthenticated: 401,
  forbidden: 403,
  payment_required: 402,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_media: 415,
  rate_limited: 429,
  canceled: 503,
  timeout: 503,
  unavailable: 503,
  internal: 500,
};

/** What a caller is told where the code is the services' own word, such as storage_busy. */
const GENERIC_CODE: Record<ErrorKind, ProblemCode> = {
  invalid: 'invalid_request',
  unauthenticated: 'unauthenticated',
  forbidden: 'insufficient_scope',
  payment_required: 'quota_exhausted',
  not_found: 'not_found',
  conflict: 'invalid_state',
  too_large: 'payload_too_large',
  unsupported_media: 'unsupported_media_type',
  rate_limited: 'rate_limited',
  canceled: 'service_unavailable',
  timeout: 'service_unavailable',
  unavailable: 'service_unavailable',
  internal: 'internal',
};

const DEFAULT_RETRY_AFTER_SECONDS = 5;
const MAX_ERRORS = 100;

export interface ProblemAnswer {
  problem: Problem;
  headers: Record<string, string>;
}

/** What a caller is told of an error, and with which headers. */
export function describeProblem(thrown: unknown, request: { path: string; id: string }): ProblemAnswer {
  const error = toAppError(thrown);
  const code: ProblemCode = isProblemCode(error.code) ? error.code : GENERIC_CODE[error.kind];
  const { title, status = STATUS[error.kind] }: ProblemEntry = PROBLEMS[code];
  const problem: Problem = {
    type: `/problems/${code}`,
    title,
    status,
    detail: error.message,
    instance: request.path,
    code,
    request_id: request.id,
    // The fault is the server's, and may pass; within it nothing is tried again for it.
    retryable: error.retryable || code === 'internal',
    ...(error.fields.length > 0 && { errors: error.fields.slice(0, MAX_ERRORS) }),
  };
  return { problem, headers: headersOf(error, status) };
}

function headersOf(error: AppError, status: number): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store' };
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (status === 403 && error.code === 'insufficient_scope') headers['www-authenticate'] = 'Bearer error="insufficient_scope"';
  if (status === 429 || status === 503) headers['retry-after'] = String(error.retryAfter ?? DEFAULT_RETRY_AFTER_SECONDS);
  return headers;
}
