import { httpStatusOf, STATE_REASONS, toAppError, type AppError, type ErrorKind } from '@parlance/platform';
import { z } from 'zod';
import { FIELD_CODE_MEANINGS } from './field-codes.js';
import { MAX_FIELD_ERRORS } from './field-errors.js';
import { isProblemCode, problemOf, type ProblemCode } from './problem-catalogue.js';

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** RFC 9457, with the members of ours that every problem has. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** The path of the request, without its query. */
  instance: string;
  code: string;
  request_id: string;
  retryable: boolean;
  /** Present with `invalid_state`: one of STATE_REASONS. */
  reason?: string;
  errors?: { pointer: string; code: string; detail: string }[];
}

/** `Problem`, as the API description shows it. */
export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'The URL of the page that explains the code.', example: '/problems/invalid_request' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string().meta({ description: 'Branch on this code.' }),
    request_id: z.string(),
    retryable: z.boolean().meta({ description: 'True when the same call may succeed later.' }),
    reason: z.string().optional().meta({ description: `Of \`invalid_state\`: why. More may be added.\n\n${Object.entries(STATE_REASONS).map(([reason, meaning]) => `- \`${reason}\`: ${meaning}`).join('\n')}` }),
    errors: z
      .array(z.object({ pointer: z.string().meta({ description: 'A JSON pointer (RFC 6901) into the body, or `?name` for a query parameter.' }), code: z.string().meta({ description: FIELD_CODE_MEANINGS }), detail: z.string() }))
      .optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457.' });

/** The public code of an error whose code is internal to the services, such as storage_busy. */
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

interface ProblemAnswer {
  problem: Problem;
  headers: Record<string, string>;
}

/** The problem and the headers that a caller gets for an error. */
export function describeProblem(thrown: unknown, request: { path: string; id: string }): ProblemAnswer {
  const error = toAppError(thrown);
  const code: ProblemCode = isProblemCode(error.code) ? error.code : GENERIC_CODE[error.kind];
  const { title } = problemOf(code);
  const status = httpStatusOf(code);
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
    ...(error.reason !== undefined && { reason: error.reason }),
    ...(error.fields.length > 0 && { errors: error.fields.slice(0, MAX_FIELD_ERRORS) }),
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
