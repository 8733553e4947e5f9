import { STATUS_CODES } from 'node:http';
import { httpStatusOf, isRetryable } from '@parlance/platform';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { repeatsOf, type Operation } from '../http/operation.js';
import { PROBLEM_CODES, problemOf, type ProblemCode } from '../http/problem-catalogue.js';
import { problemSchema } from '../http/problem.js';
import { responseHeaders } from './response-headers.js';
import { NAME, pascalCase } from './shared-parts.js';

const OF_ALL: readonly ProblemCode[] = ['invalid_request', 'malformed_request', 'method_not_allowed', 'uri_too_long', 'head_too_large', 'internal', 'service_unavailable'];
/** Problems of all methods but GET: a body is read even if none is allowed. */
const OF_BODIES: readonly ProblemCode[] = ['malformed_json', 'unsupported_media_type', 'payload_too_large', 'request_timeout'];
const OF_KEYS: readonly ProblemCode[] = ['unauthenticated', 'account_disabled', 'rate_limited'];
const OF_SCOPES: readonly ProblemCode[] = ['insufficient_scope'];
/** Problems of an Idempotency-Key. */
const OF_REPEATS: readonly ProblemCode[] = ['idempotency_in_flight', 'idempotency_mismatch', 'invalid_state'];

/** The problems that an operation can answer, by status: its own codes and those of all operations of its kind. */
export function problemsOf(operation: Operation): Record<string, ZodOpenApiResponseObject> {
  const { problems, access, method } = operation;
  const codes = new Set([...problems, ...(repeatsOf(operation).by === 'kept' ? OF_REPEATS : []), ...OF_ALL, ...(method === 'GET' ? [] : OF_BODIES), ...(access === 'public' ? [] : OF_KEYS), ...(access === 'public' ? [] : OF_SCOPES)]);
  // In one order everywhere, so that operations with the same codes share one response.
  const ordered = PROBLEM_CODES.filter((code) => codes.has(code));
  const byStatus = [...Map.groupBy(ordered, (code) => httpStatusOf(code))].toSorted(([one], [other]) => one - other);
  return Object.fromEntries(byStatus.map(([status, ofStatus]) => [String(status), problemResponse(operation, status, ofStatus)]));
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

/** Statuses that are sent before a key is known, and therefore without its limits. */
const BEFORE_THE_KEY: ReadonlySet<number> = new Set([401, 405, 414, 431]);

function problemResponse({ access }: Operation, status: number, codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  const isLimited = access !== 'public' && !BEFORE_THE_KEY.has(status);
  const isPublic = access === 'public' && !BEFORE_THE_KEY.has(status);
  return {
    [NAME]: `${isPublic ? 'Public' : ''}${responseName(status, codes)}`,
    description: codes.map((code) => `\`${code}\`: ${problemOf(code).title}.`).join(' '),
    headers: responseHeaders(HEADERS_OF[status], isLimited),
    content: { 'application/problem+json': { schema: problemSchema, examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])) } },
  };
}

/** Codes that nearly every operation has: a name without others stands for them. */
const USUAL: ReadonlySet<ProblemCode> = new Set([...OF_ALL, ...OF_KEYS, 'unknown_field']);

/** `NotFound`, or with the codes that set it apart: `ConflictInvalidState`. */
function responseName(status: number, codes: readonly ProblemCode[]): string {
  const ofStatus = pascalCase(STATUS_CODES[status] ?? String(status));
  const others = codes.filter((code) => !USUAL.has(code)).map(pascalCase);
  return `${ofStatus}${others.filter((name) => name !== ofStatus).join('')}`;
}

/** An example of each problem, to which the responses refer. */
export const PROBLEM_EXAMPLES = Object.fromEntries(PROBLEM_CODES.toSorted().map((code) => [code, { summary: problemOf(code).title, value: problemExample(code) }]));

function problemExample(code: ProblemCode) {
  return {
    type: `/problems/${code}`,
    title: problemOf(code).title,
    status: httpStatusOf(code),
    detail: problemOf(code).text,
    instance: '/api/v1/transcriptions',
    code,
    request_id: 'req_01k9z3v4n8e7q2xw5t6r0ybhcd',
    retryable: isRetryable(code) || code === 'internal',
  };
}
