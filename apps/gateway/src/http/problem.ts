import { httpStatusOf, STATE_REASONS, toAppError, type AppError, type ErrorKind, type StateReason } from '@parlance/platform';
import { z } from 'zod';
import { fieldCode } from './field-codes.js';
import { MAX_FIELD_ERRORS } from './field-errors.js';
import { isProblemCode, OPERATION_CODES, problemOf, type ProblemCode } from './problem-catalogue.js';
import { openEnum } from './schema.js';

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

/** The beginning of a word that a title may share with its code. */
const STEM = 4;
/** True when the title has a word of which the code says nothing: a code that says all needs no line. */
const saysMore = (code: string, title: string): boolean => (title.toLowerCase().match(/[a-z]{4,}/g) ?? []).some((word) => !code.includes(word.slice(0, STEM)));

const meanings = OPERATION_CODES.filter((code) => saysMore(code, problemOf(code).title)).map((code) => `- \`${code}\`: ${problemOf(code).title}.`).join('\n');
const problemCode = z.enum(OPERATION_CODES).meta({ id: 'ProblemCode', description: `Why a request was refused. Each code has a page at \`/problems/<code>\`.\n\n${meanings}` });

const stateReason = z.enum(Object.keys(STATE_REASONS) as StateReason[]).meta({ id: 'StateReason', description: 'Why the state does not allow an operation. Each reason has a page at `/problems/<reason>`.' });

export const fieldErrorSchema = z
  .object({
    pointer: z.string().meta({ description: 'A JSON pointer (RFC 6901) into the body, or `?name` for a query parameter.' }),
    code: z.union([fieldCode, problemCode, z.string()]).meta({ description: 'What is wrong with the field, or a code that a whole request can have.', example: 'required' }),
    detail: z.string().meta({ description: 'What is wrong with the field, for people.' }),
  })
  .meta({ id: 'FieldError', description: 'A field that is wrong.' });

/** `Problem`, as the API description shows it. */
export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'The URL of the page that explains the code.', example: '/problems/invalid_request' }),
    title: z.string().meta({ description: 'What the code means, in a few words.' }),
    status: z.int().min(400).max(599).meta({ description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'What is wrong with this request, for people.' }),
    instance: z.string().meta({ description: 'The path of the request, without its query.' }),
    code: openEnum(problemCode).meta({ description: 'Branch on this code.', example: 'invalid_request' }),
    request_id: z.string().meta({ description: 'The id of the request, as in `X-Request-Id`.' }),
    retryable: z.boolean().meta({ description: 'True when the same call may succeed later.' }),
    reason: openEnum(stateReason).optional().meta({ description: 'Says why, when the code is `invalid_state`.', example: 'not_ready' }),
    errors: z
      .array(fieldErrorSchema)
      .optional()
      .meta({ description: 'The fields that are wrong.' }),
  })
  .meta({ id: 'Problem', description: 'Why a request was refused (RFC 9457).' });

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

/** The part of a request that its problem names. */
export interface RefusedRequest {
  path: string;
  id: string;
  /** The URL under which clients reach the server, without a slash at the end; undefined: types are relative. */
  publicUrl?: string | undefined;
}

/** The problem and the headers that a caller gets for an error. */
export function describeProblem(thrown: unknown, request: RefusedRequest): ProblemAnswer {
  const error = toAppError(thrown);
  const code: ProblemCode = isProblemCode(error.code) ? error.code : GENERIC_CODE[error.kind];
  const { title } = problemOf(code);
  const status = httpStatusOf(code);
  const problem: Problem = {
    type: `${request.publicUrl ?? ''}/problems/${code}`,
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
