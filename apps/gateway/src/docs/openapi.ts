import { z } from 'zod';
import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import type { Deprecation } from '../http/deprecation.js';
import { repeatsOf, scopesOf, type AnswerDefinition, type Operation } from '../http/operation.js';
import { API_VERSION } from '../info/product-version.js';
import { composeSchemas } from './composed-schemas.js';
import { conditionalHeaders, notModified } from './conditional-reads.js';
import { describeTypes, dropRepeats, referencesOnly } from './described-types.js';
import { exampleOf } from './example-of.js';
import { problemsOf } from './problem-responses.js';
import { responseHeaders } from './response-headers.js';
import { ROUTE_TABLE } from './route-table.js';
import { shareParts } from './shared-parts.js';
import { WEBHOOKS } from './webhooks.js';

const DESCRIPTION = `Asynchronous transcription of audio and video: submit a file or its URL, get a \`job_id\`, and read the result by
polling, by Server-Sent Events or by webhook.

Every error is \`application/problem+json\` (RFC 9457); branch on its \`code\`. Each operation lists the codes of its own; \`default\` stands
for those that any operation can have. Every response carries \`X-Request-Id\`, and every response to a valid key \`RateLimit\` and
\`RateLimit-Policy\`; the \`default\` response describes them. An operation names the scopes that it needs. Ids are opaque, and sort by
creation time; times are in UTC with milliseconds, and are taken as RFC 3339 or as a date in UTC.
Within version 1, changes only add to the API: ignore fields and values that you do not know.
In the body of a \`POST\`, null for an optional field means that the field is absent.`;

/** The descriptions of the tags; a tag without one is listed in the API description by name only. */
const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Transcriptions: 'Create, follow, cancel, retry and delete jobs.',
  Recordings: 'Read the recording of a job.',
  Links: 'Open a content of a job without a key.',
  Batches: 'Create many jobs by one request.',
  Uploads: 'Upload files that jobs are created from, in one request or in parts that survive a broken connection.',
  Live: 'Transcribe speech while it is spoken.',
  Transcripts: 'Read a transcript as JSON, text, captions or a document, and edit it: documents, captions, search and chat follow its newest revision.',
  Speakers: 'Name and merge the speakers of a transcript.',
  'Summaries and highlights': 'Text derived from a transcript; each item has its evidence.',
  Search: 'Find passages in all transcripts, by words and by meaning.',
  Chat: 'Ask questions about one transcript or all of them; answers cite the transcript.',
  Server: 'Which server answers, and what it allows.',
  Languages: 'The languages that the speech engine supports.',
  Vocabularies: 'Lists of terms that jobs name by id.',
  Webhooks: 'Deliveries of events, the endpoints that receive them, and the secrets that sign them.',
  Events: 'Read again what happened to the jobs of the account.',
  Keys: 'Create, rotate and revoke API keys.',
  Tokens: 'Short-lived tokens for web pages and other callers that should not have an API key.',
  Account: 'The account of the API key.',
  Accounts: 'Signing up.',
  'Sign-up': 'Signing up.',
  Usage: 'Seconds of audio that were transcribed, and the limits.',
};

/** The API description, OpenAPI 3.1, made from the route table alone. */
export function openApiDocument(): ReturnType<typeof createDocument> {
  const document = referencesOnly(createDocument(description(), { override: describeTypes }));
  shareParts(document);
  dropRepeats(document);
  const schemas = document.components?.schemas ?? {};
  composeSchemas(schemas);
  return document;
}

function description(): ZodOpenApiObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Parlance', version: API_VERSION, description: DESCRIPTION, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/', description: 'This server' }],
    tags: [...new Set(ROUTE_TABLE.map(({ tag }) => tag))].map((name) => ({ name, ...(TAG_DESCRIPTIONS[name] && { description: TAG_DESCRIPTIONS[name] }) })),
    security: [{ bearer: [] }, { apiKey: [] }],
    paths: pathsOf(ROUTE_TABLE),
    webhooks: WEBHOOKS,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, such as `pl_…`, or a short-lived token, such as `plt_…`.' },
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
  const { id, tag, summary, access, params, query, deprecated } = operation;
  const scopes = scopesOf(access);
  const needs = scopes.length > 0 ? `${scopes.length > 1 ? 'Scopes' : 'Scope'} \`${scopes.join('`, `')}\`.` : undefined;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(deprecated && { deprecated: true }),
    description: [operation.description, deprecated && deprecationText(deprecated), needs].filter((text) => text !== undefined).join(' '),
    ...(access === 'public' && { security: [] }),
    requestParams: { path: params, query },
    parameters: headerParameters({ ...conditionalHeaders(operation), ...(repeatsOf(operation).by === 'kept' && REPEATED), ...operation.headers }),
    ...(operation.body && { requestBody: requestBody(operation.body) }),
    responses: { ...notModified(operation), ...answersOf(operation), ...problemsOf(operation) },
  };
}

const REPEATED = {
  'Idempotency-Key':
    'At most 255 visible characters, kept for 24 hours for this method and path. A call with the same key and body gets the first response again, with `Idempotency-Replayed: true`. A refused call leaves its key unused.',
};

const deprecationText = ({ since, sunset, successor }: Deprecation): string =>
  [`Deprecated since ${since}.`, ...(sunset === undefined ? [] : [`It works until ${sunset} at least.`]), ...(successor === undefined ? [] : [`Use \`${successor}\` instead.`])].join(' ');

const headerParameters = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, description]) => ({ in: 'header' as const, name, description, schema: { type: 'string' as const } }));

/** Generators read this format as bytes, which is of OpenAPI 3.0; few know how 3.1 describes them. */
const bytes = (description: string) => ({ type: 'string' as const, format: 'binary', description });

function requestBody({ schema, form, binary, binaryType = 'application/octet-stream', optional }: NonNullable<Operation['body']>): ZodOpenApiOperationObject['requestBody'] {
  return {
    required: optional !== true,
    content: {
      ...(binary !== undefined && { [binaryType]: { schema: bytes(binary) } }),
      ...(schema && { 'application/json': { schema, ...(schema.meta()?.example === undefined && { example: exampleOf(schema, 'body') }) } }),
      ...(form && { 'multipart/form-data': { schema: withFile(form) } }),
    },
  };
}

/** A form's fields and its file, under the name of the form. */
const withFile = (form: z.ZodObject): z.ZodType => z.strictObject({ file: z.string().meta({ override: bytes('The audio or video file.') }), ...form.shape }).meta({ ...form.meta() });

function answersOf(operation: Operation): Record<string, ZodOpenApiResponseObject> {
  return Object.fromEntries(Object.entries(operation.answers).map(([status, answer]) => [status, answerObject(answer)]));
}

const STREAM = 'Server-Sent Events. Each `data` is JSON with the name of the event as `event`.';

/** OpenAPI 3.1 has no type for a stream. Some readers take this as the type of the data of an event, others as that of the whole body, which is text. */
const streamOf = (event: z.ZodType) => z.union([event, z.string()]).meta({ description: STREAM });

function answerObject({ description, schema, events, binary, binaryTypes = ['application/octet-stream'], contentTypes = [], headers }: AnswerDefinition): ZodOpenApiResponseObject {
  const others = contentTypes.map((type) => [type, { schema: { type: 'string' as const } }] as const);
  const content = {
    ...(schema && { 'application/json': { schema } }),
    ...(binary !== undefined && Object.fromEntries(binaryTypes.map((type) => [type, { schema: bytes(binary) }]))),
    ...(events && { 'text/event-stream': { schema: streamOf(events) } }),
    ...Object.fromEntries(others),
  };
  return {
    description,
    ...(headers && { headers: responseHeaders(headers) }),
    ...(Object.keys(content).length > 0 && { content }),
  };
}
