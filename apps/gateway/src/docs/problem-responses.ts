import { STATUS_CODES } from 'node:http';
import { httpStatusOf } from '@parlance/platform';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import type { Operation } from '../http/operation.js';
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
  'account_deletion_scheduled',
  'insufficient_scope',
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'uri_too_long',
  'unsupported_media_type',
  'rate_limited',
  'sealed',
  'head_too_large',
  'invalid_request',
  'unknown_field',
  'internal',
  'service_unavailable',
];
/** Problems of any call with an Idempotency-Key, which `default` stands for as well; `invalid_state` once what the first call made was deleted. */
const OF_REPEATS: readonly ProblemCode[] = ['idempotency_in_flight', 'idempotency_mismatch', 'invalid_state'];
const USUAL: ReadonlySet<ProblemCode> = new Set([...OF_ALL, ...OF_REPEATS]);

/** Listed by operations without codes of their own: linters want a status that says what a caller can do wrong. */
const OF_FIELDS: readonly ProblemCode[] = ['invalid_request', 'unknown_field'];

/**
 * The problems that an operation can answer: a response for each status with codes of its own, and `default` for all others, which makes
 * one type of error in generated clients.
 */
export function problemsOf({ problems }: Operation): Record<string, ZodOpenApiResponseObject> {
  const peculiar = problems.filter((code) => !USUAL.has(code) || code === 'invalid_state');
  const own = peculiar.some((code) => httpStatusOf(code) < 500) ? peculiar : [...OF_FIELDS, ...peculiar];
  return { ...Object.fromEntries([...codesByStatus(own)].map(([status, codes]) => [String(status), problemResponse(status, codes)])), default: OTHER_PROBLEM };
}

/** The codes in one order everywhere, so that operations with the same codes share one response. */
function codesByStatus(codes: readonly ProblemCode[]): Map<number, ProblemCode[]> {
  const ordered = PROBLEM_CODES.filter((code) => codes.includes(code)).toSorted((one, other) => httpStatusOf(one) - httpStatusOf(other));
  return Map.groupBy(ordered, (code) => httpStatusOf(code));
}

const CHALLENGE = '`Bearer`, with the `error` `invalid_token` or `insufficient_scope` when a key or token was sent.';
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
  description: ['A problem that any operation can have.', ...[...codesByStatus([...USUAL])].map(([status, codes]) => `${status}: ${listOf(codes)}`)].join('\n\n'),
  headers: { ...REQUEST_ID_HEADER, ...responseHeaders(Object.assign({}, ...Object.values(HEADERS_OF)) as Record<string, string>, true) },
  content: CONTENT,
};

/** By the codes that set it apart, such as `InvalidState`, or else by the status, such as `NotFound`. */
function responseName(status: number, codes: readonly ProblemCode[]): string {
  const ofStatus = pascalCase(STATUS_CODES[status] ?? String(status));
  const names = codes.filter((code) => !OF_FIELDS.includes(code)).map(pascalCase);
  return names.join('') || ofStatus;
}
