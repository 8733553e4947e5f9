import { httpStatusOf, isRetryable } from '@parlance/platform';
import type { z } from 'zod';
import { createDocument, type oas31, type ZodOpenApiObject, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import { repeatsOf, type AnswerDefinition, type Operation } from '../http/operation.js';
import { problemOf, type ProblemCode } from '../http/problem-catalogue.js';
import { problemSchema } from '../http/problem.js';
import { SCOPES } from '../keys/scope.js';
import { exampleOf } from './example-of.js';
import { linksOf } from './links.js';
import { RATE_LIMIT_HEADERS } from '../limits/rate-limit-headers.js';
import { ROUTE_TABLE } from './route-table.js';
import { WEBHOOKS } from './webhooks.js';

const DESCRIPTION = `Asynchronous transcription of audio and video: submit a file or its URL, get a \`job_id\`, and read the result by
polling, by Server-Sent Events or by webhook.

Every error is \`application/problem+json\` (RFC 9457); branch on its \`code\`. Every response carries \`X-Request-Id\`.
Within version 1, changes only add to the API: ignore fields that you do not know.`;

/** The descriptions of the tags; a tag without one is listed in the API description by name only. */
const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Transcriptions: 'Create, follow, cancel, retry and delete jobs.',
  Transcripts: 'Read a transcript as JSON, text, captions or a document.',
  Speakers: 'Name and merge the speakers of a transcript.',
  'Summaries and highlights': 'Text derived from a transcript; each item has its evidence.',
  Search: 'Find passages in all transcripts, by words and by meaning.',
  Chat: 'Ask questions about one transcript or all of them; answers cite the transcript.',
  Languages: 'The languages that the speech engine supports.',
  Webhooks: 'Deliveries of events, the endpoints that receive them, and the secrets that sign them.',
  Events: 'Read again what happened to the jobs of the account.',
  Keys: 'Create, rotate and revoke API keys.',
  Account: 'The account of the API key.',
  Accounts: 'Signing up.',
  'Sign-up': 'Signing up.',
  Usage: 'Seconds of audio that were transcribed, and the limits.',
};

/** The API description, OpenAPI 3.1, made from the route table alone. */
export const openApiDocument = (): ReturnType<typeof createDocument> =>
  createDocument(description(), {
    // Zod closes what is given out: clients that are made from it would refuse a field that is added.
    override: ({ io, jsonSchema }) => {
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });

function description(): ZodOpenApiObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Parlance', version: '1.0.0', description: DESCRIPTION, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/', description: 'This server' }],
    tags: [...new Set(ROUTE_TABLE.map(({ tag }) => tag))].map((name) => ({ name, ...(TAG_DESCRIPTIONS[name] && { description: TAG_DESCRIPTIONS[name] }) })),
    paths: pathsOf(ROUTE_TABLE),
    webhooks: WEBHOOKS,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, such as `pl_…`.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
}

function pathsOf(operations: readonly Operation[]): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const operation of operations) (paths[operation.path] ??= {})[operation.method.toLowerCase()] = operationObject(operation);
  return paths;
}

function operationObject(operation: Operation): ZodOpenApiOperationObject {
  const { id, tag, summary, access, params, query } = operation;
  const scopes = SCOPES.filter((scope) => scope === access);
  const needs = scopes.length > 0 ? `Requires the scope \`${scopes.join('`, `')}\`.` : undefined;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [operation.description, needs].filter((text) => text !== undefined).join('\n\n'),
    security: access === 'public' ? [] : [{ bearer: [] }, { apiKey: [] }],
    requestParams: { path: params, query },
    ...headerParameters({ ...(repeatsOf(operation).by === 'kept' && REPEATED.request), ...operation.headers }),
    ...(operation.body && { requestBody: requestBody(operation.body) }),
    responses: { ...answersOf(operation), ...problemsOf(operation) },
  };
}

/** What an operation whose first answer is kept says of it. */
const REPEATED = {
  request: {
    'Idempotency-Key':
      'At most 255 visible characters, kept for 24 hours, for this method and path alone. A call with the same key and body is not performed again: it gets the first response, with `Idempotency-Replayed: true`. A refused call leaves its key unused.',
  },
  response: { 'Idempotency-Replayed': '`true` when this is the response of an earlier call.' },
  problems: ['idempotency_in_flight', 'idempotency_mismatch', 'invalid_state'],
} as const;

function headerParameters(headers: Readonly<Record<string, string>>): Pick<ZodOpenApiOperationObject, 'parameters'> {
  const parameters = Object.entries(headers).map(([name, description]) => ({ in: 'header' as const, name, description, schema: { type: 'string' as const } }));
  return parameters.length === 0 ? {} : { parameters };
}

function requestBody({ schema, form, optional }: NonNullable<Operation['body']>): ZodOpenApiOperationObject['requestBody'] {
  return {
    required: optional !== true,
    content: {
      'application/json': { schema, example: exampleOf(schema, 'body') },
      ...(form && { 'multipart/form-data': { schema: withFile(form) } }),
    },
  };
}

/** A form's fields and its file. */
function withFile(form: z.ZodType): z.ZodType {
  return form.meta({
    override: ({ jsonSchema }: { jsonSchema: oas31.SchemaObject }) => {
      jsonSchema.properties = { file: { type: 'string', contentMediaType: 'application/octet-stream', description: 'The audio or video file.' }, ...jsonSchema.properties };
      jsonSchema.required = ['file'];
    },
  });
}

function answersOf(operation: Operation): Record<string, ZodOpenApiResponseObject> {
  return Object.fromEntries(Object.entries(operation.answers).map(([status, answer]) => [status, answerObject(operation, answer)]));
}

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' as const } }]));

/** No type: OpenAPI 3.1 has none for a stream, and readers differ in whether this is of the whole or of one event. */
const EVENTS = { description: 'Server-Sent Events. Each has an `event` name, JSON as its `data`, and an `id` when the stream can be resumed after it.' };

/** The header that every answer has. */
const REQUEST_ID = { 'X-Request-Id': 'The id of this request: the caller’s own when it sent a valid one, else a new one.' };

function answerObject(operation: Operation, answer: AnswerDefinition): ZodOpenApiResponseObject {
  const { description, schema, contentTypes = [], headers } = answer;
  const links = linksOf(operation, answer, ROUTE_TABLE);
  const others = contentTypes.map((type) => [type, { schema: type === 'text/event-stream' ? EVENTS : { type: 'string' as const } }] as const);
  const content = { ...(schema && { 'application/json': { schema, example: exampleOf(schema, 'answer') } }), ...Object.fromEntries(others) };
  return {
    description,
    headers: headersOf({ ...REQUEST_ID, ...headers, ...(repeatsOf(operation).by === 'kept' && REPEATED.response), ...(operation.access !== 'public' && RATE_LIMIT_HEADERS) }),
    ...(Object.keys(content).length > 0 && { content }),
    ...(Object.keys(links).length > 0 && { links }),
  };
}

const OF_ALL: readonly ProblemCode[] = ['invalid_request', 'malformed_request', 'method_not_allowed', 'uri_too_long', 'head_too_large', 'internal', 'service_unavailable'];
/** Problems of all methods but GET: a body is read even if none is allowed. */
const OF_BODIES: readonly ProblemCode[] = ['malformed_json', 'unsupported_media_type', 'payload_too_large', 'request_timeout'];
const OF_KEYS: readonly ProblemCode[] = ['unauthenticated', 'account_disabled', 'rate_limited'];
const OF_SCOPES: readonly ProblemCode[] = ['insufficient_scope'];

function problemsOf(operation: Operation): Record<string, ZodOpenApiResponseObject> {
  const { problems, access, method } = operation;
  const codes = new Set<ProblemCode>([...problems, ...(repeatsOf(operation).by === 'kept' ? REPEATED.problems : []), ...OF_ALL, ...(method === 'GET' ? [] : OF_BODIES), ...(access === 'public' ? [] : OF_KEYS), ...(access === 'public' || access === 'any_key' ? [] : OF_SCOPES)]);
  const byStatus = Map.groupBy([...codes], (code) => httpStatusOf(code));
  const ordered = [...byStatus].toSorted(([one], [other]) => one - other);
  return Object.fromEntries(ordered.map(([status, ofStatus]) => [String(status), problemObject(operation, status, ofStatus)]));
}

const HEADERS_OF: Readonly<Record<number, Record<string, string>>> = {
  401: { 'WWW-Authenticate': '`Bearer`.' },
  403: { 'WWW-Authenticate': 'The scope that the key lacks, when one is lacking.' },
  405: { Allow: 'The methods that this path allows.' },
  429: { 'Retry-After': 'Seconds.' },
  503: { 'Retry-After': 'Seconds.' },
};

/** Statuses that are sent before a key is known, and therefore without its limits. */
const BEFORE_THE_KEY: ReadonlySet<number> = new Set([401, 405, 414, 431]);

function problemObject({ path, access }: Operation, status: number, codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  const examples = Object.fromEntries(codes.map((code) => [code, { value: problemExample(status, code, path) }]));
  return {
    description: codes.map((code) => `\`${code}\`: ${problemOf(code).title}.`).join(' '),
    headers: headersOf({ ...REQUEST_ID, ...HEADERS_OF[status], ...(access !== 'public' && !BEFORE_THE_KEY.has(status) && RATE_LIMIT_HEADERS) }),
    content: { 'application/problem+json': { schema: problemSchema, examples } },
  };
}

const problemExample = (status: number, code: ProblemCode, path: string) => ({
  type: `/problems/${code}`,
  title: problemOf(code).title,
  status,
  detail: problemOf(code).text,
  instance: path,
  code,
  request_id: 'req_01k9z3v4n8e7q2xw5t6r0ybhcd',
  retryable: isRetryable(code) || code === 'internal',
});
