import { STATUS_CODES } from 'node:http';
import { httpStatusOf } from '@parlance/platform';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { repeatsOf, type Operation } from '../http/operation.js';
import { PROBLEM_CODES, type ProblemCode } from '../http/problem-catalogue.js';
import { problemSchema } from '../http/problem.js';
import { REQUEST_ID_HEADER, responseHeaders } from './response-headers.js';
import { NAME, pascalCase } from './shared-parts.js';

/** Problems that any operation can have, which its `default` response stands for. */
const OF_ALL: readonly ProblemCode[] = [
  'malformed_request',
  'malformed_json',
  'unauthenticated',
  'account_disabled',
  'insufficient_scope',
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'uri_too_long',
  'unsupported_media_type',
  'rate_limited',
  'head_too_large',
  'invalid_request',
  'unknown_field',
  'internal',
  'service_unavailable',
];
/** Problems of any call with an Idempotency-Key, which `default` stands for as well. */
const OF_KEYS: readonly ProblemCode[] = ['idempotency_in_flight', 'idempotency_mismatch'];
/** A repeated call also gets `invalid_state`, once what the first call made was deleted. */
const OF_REPEATS: readonly ProblemCode[] = [...OF_KEYS, 'invalid_state'];

/**
 * The problems that an operation can answer: a response for each status that says more than that of other operations, and `default`
 * for all others, which makes one type of error in generated clients.
 */
export function problemsOf(operation: Operation): Record<string, ZodOpenApiResponseObject> {
  const repeats = repeatsOf(operation).by === 'kept' ? OF_REPEATS : [];
  const statuses = new Set(operation.problems.filter((code) => ![...OF_ALL, ...OF_KEYS].includes(code)).map((code) => httpStatusOf(code)));
  const byStatus = [...codesByStatus([...operation.problems, ...repeats, ...OF_ALL])].filter(([status]) => statuses.has(status));
  return { ...Object.fromEntries(byStatus.map(([status, codes]) => [String(status), problemResponse(status, codes)])), default: OTHER_PROBLEM };
}

/** The codes in one order everywhere, so that operations with the same codes share one response. */
function codesByStatus(codes: readonly ProblemCode[]): Map<number, ProblemCode[]> {
  const ordered = PROBLEM_CODES.filter((code) => codes.includes(code)).toSorted((one, other) => httpStatusOf(one) - httpStatusOf(other));
  return Map.groupBy(ordered, (code) => httpStatusOf(code));
}

const CHALLENGE = '`Bearer`; with `error="invalid_token"` when the key or token that was sent is not valid, with `error="insufficient_scope"` when it lacks a scope.';
const RETRY_AFTER = 'Seconds after which the call may succeed.';

const HEADERS_OF: Readonly<Record<number, Record<string, string>>> = {
  401: { 'WWW-Authenticate': CHALLENGE },
  403: { 'WWW-Authenticate': CHALLENGE },
  405: { Allow: 'The methods that this path allows.' },
  429: { 'Retry-After': RETRY_AFTER },
  503: { 'Retry-After': RETRY_AFTER },
};

const CONTENT = { 'application/problem+json': { schema: problemSchema } };

/** The codes alone: `ProblemCode` says what each of them means. */
const listOf = (codes: readonly ProblemCode[]): string => codes.map((code) => `\`${code}\``).join(', ');

const problemResponse = (status: number, codes: readonly ProblemCode[]): ZodOpenApiResponseObject => ({
  [NAME]: responseName(status, codes),
  description: listOf(codes),
  ...(HEADERS_OF[status] && { headers: responseHeaders(HEADERS_OF[status]) }),
  content: CONTENT,
});

/** Every other problem, with the headers that each status has. */
const OTHER_PROBLEM: ZodOpenApiResponseObject = {
  [NAME]: 'Problem',
  description: ['A problem that any operation can have.', ...[...codesByStatus([...OF_ALL, ...OF_REPEATS])].map(([status, codes]) => `${status}: ${listOf(codes)}`)].join('\n\n'),
  headers: { ...REQUEST_ID_HEADER, ...responseHeaders(Object.assign({}, ...Object.values(HEADERS_OF)) as Record<string, string>, true) },
  content: CONTENT,
};

/** Codes that nearly every operation has: a name without others stands for them. */
const USUAL: ReadonlySet<ProblemCode> = new Set(OF_ALL);

/** `NotFound`, or with the codes that set it apart: `ConflictInvalidState`. */
function responseName(status: number, codes: readonly ProblemCode[]): string {
  const ofStatus = pascalCase(STATUS_CODES[status] ?? String(status));
  const others = codes.filter((code) => !USUAL.has(code)).map(pascalCase);
  return `${ofStatus}${others.filter((name) => name !== ofStatus).join('')}`;
}
