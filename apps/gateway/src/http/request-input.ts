import { AppError, notFound, type FieldError } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { unboundCursor } from './bound-cursors.js';
import { bodyPointer, fieldErrors, invalidFields, MAX_FIELD_ERRORS, queryPointer, unusableText, type PointerTo } from './field-errors.js';
import { readJsonBody } from './json-body.js';
import { MAX_VALUES } from './json-bounds.js';
import { jsonTypeOf } from './json-type.js';
import { isMetadataParameter, metadataErrors, metadataFilter } from './metadata-filter.js';
import type { BodyDefinition, Operation } from './operation.js';
import { withoutNulls } from './without-nulls.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body, which can be read once; null before that. */
    jsonBody: Promise<unknown> | null;
  }
}

interface Input<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  /** The body as it came, for its fingerprint. */
  rawBody: unknown;
}

/** The body of an operation without one: any field in it is unknown. */
const NO_FIELDS = { schema: z.strictObject({}), optional: true } satisfies BodyDefinition;

/** The input of an operation, as its schemas parse it. */
export type InputOf<O> = O extends Operation<infer P, infer Q, infer B> ? Input<z.output<P>, z.output<Q>, z.output<B>> : never;

/** Checks of a body beyond its shape; they get it unparsed. */
type BodyRules = (rawBody: unknown) => Promise<FieldError[]>;

/** Path, query and JSON body of a request, valid as the operation defines them. @throws AppError listing every wrong field of all three */
export async function readInput<O extends Operation>(operation: O, request: FastifyRequest, rules?: BodyRules): Promise<InputOf<O>> {
  const { params, query, errors } = readAddress(operation, request);
  const taken: BodyDefinition | undefined = operation.body ?? (operation.method === 'GET' ? undefined : NO_FIELDS);
  const rawBody = taken && (await readRawBody(operation, request));
  const given = operation.method === 'POST' && taken?.schema ? withoutNulls(taken.schema, rawBody) : rawBody;
  const body = taken?.schema && check(taken.envelope ?? taken.schema, given, bodyPointer, errors);
  if (rules) addErrors(errors, await rules(rawBody));
  if (errors.length > 0) throw invalidFields(errors);
  return { params, query, body, rawBody } as InputOf<O>;
}

/** Path and query of an operation without a body; not a promise, so that reads wait for nothing. @throws AppError listing every wrong field of both */
export function readQuery<O extends Operation>(operation: O, request: FastifyRequest): InputOf<O> {
  const { params, query, errors } = readAddress(operation, request);
  if (errors.length > 0) throw invalidFields(errors);
  return { params, query, body: undefined, rawBody: undefined } as InputOf<O>;
}

/** A limit several times the largest number that an operation uses. */
const MAX_PARAMETERS = 200;

/** Path and query alone, for a handler that reads the body itself. */
export function readAddress<O extends Operation>(operation: O, request: FastifyRequest) {
  if (Object.keys(request.query as object).length > MAX_PARAMETERS) throw invalidFields([{ pointer: '?', code: 'too_long', detail: `A query may have at most ${MAX_PARAMETERS} parameters.` }]);
  const given = withStoredCursor(operation, request);
  const errors = parameterErrors(operation, given);
  const params = operation.params.safeParse(request.params);
  if (!params.success) throw notThere(params.error.issues);
  const query = check(operation.query, queryObject(operation, given), queryPointer, errors);
  return { params: params.data as InputOf<O>['params'], query: query as InputOf<O>['query'], errors };
}

/** Ids are opaque: one that cannot exist is one that does not exist. Of a part of the path that has few values, such as a format, the error lists these. */
function notThere(issues: readonly z.core.$ZodIssue[]): AppError {
  const choice = issues.find(({ code }) => code === 'invalid_value');
  const [error] = choice ? fieldErrors([choice], (path) => path.map(String).join('/')) : [];
  return error ? new AppError({ code: 'not_found', message: `${error.pointer}: ${error.detail}` }) : notFound('This');
}

/** The query, with the cursor as the store made it. @throws AppError invalid_cursor */
function withStoredCursor({ query }: Operation, request: FastifyRequest): Record<string, unknown> {
  const given = request.query as Record<string, unknown>;
  return 'cursor' in query.shape && typeof given['cursor'] === 'string' ? { ...given, cursor: unboundCursor(given['cursor'], request) } : given;
}

/** The value, or undefined with what is wrong with it added to `errors`. */
export function check<S extends z.ZodType>(schema: S, value: unknown, pointerTo: PointerTo, errors: FieldError[]): z.output<S> | undefined {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (!parsed.success) addErrors(errors, fieldErrors(parsed.error.issues, pointerTo));
  addErrors(errors, unusableText(value, pointerTo));
  return parsed.data;
}

/** One error a place is enough: the first. */
export function addErrors(errors: FieldError[], more: readonly FieldError[]): void {
  const known = new Set(errors.map(({ pointer }) => pointer));
  for (const error of more) {
    if (errors.length >= MAX_FIELD_ERRORS) return;
    if (!known.has(error.pointer)) errors.push(error);
    known.add(error.pointer);
  }
}

/** The maximum of a JSON body that needs no key: several times the size of a sign-up. */
const PUBLIC_JSON_BYTES = 4096;
const PUBLIC_JSON_MS = 10_000;

/** The JSON body of a request, unchecked, for whatever asks first: it can be read once. */
export const readRawBody = ({ body }: Pick<Operation, 'body'>, request: FastifyRequest): Promise<unknown> => (request.jsonBody ??= readJson(body ?? NO_FIELDS, request));

async function readJson({ optional, scale = 1 }: BodyDefinition, request: FastifyRequest): Promise<unknown> {
  const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody) requireJson(request);
  requirePlainBody(request);
  const { maxJsonBytes, jsonBodyMs } = request.server;
  const [maxBytes, timeoutMs] = request.caller ? [scale * maxJsonBytes, jsonBodyMs] : [Math.min(PUBLIC_JSON_BYTES, maxJsonBytes), Math.min(PUBLIC_JSON_MS, jsonBodyMs)];
  const value = hasBody ? await readJsonBody(request.raw, { maxBytes, maxValues: scale * MAX_VALUES, timeoutMs }) : undefined;
  if (value !== undefined) return value;
  if (optional) return {};
  throw new AppError({ kind: 'invalid', code: 'malformed_json', message: 'The request requires a JSON body.' });
}

/** @throws AppError unsupported_media_type */
function requireJson({ headers }: FastifyRequest): void {
  const type = jsonTypeOf(headers['content-type']);
  if (type === 'other') throw unsupportedType();
  if (type === 'other_charset') throw unsupportedType('A JSON body must be UTF-8: send it as application/json.');
}

const unsupportedType = (message = 'The media type of the body is not supported here: send application/json, or multipart/form-data where a file can be uploaded.'): AppError =>
  new AppError({ kind: 'unsupported_media', code: 'unsupported_media_type', message });

/** @throws AppError unsupported_media_type: nothing is unpacked here */
export function requirePlainBody({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return;
  throw unsupportedType('Send the body without a Content-Encoding.');
}

/** No parameter is repeated but the pairs of `metadata`; an unknown parameter is reported as unknown instead. */
function parameterErrors({ query }: Operation, given: Record<string, unknown>): FieldError[] {
  const hasMetadata = 'metadata' in query.shape;
  const isKnown = (name: string) => name !== 'metadata' && (name in query.shape || (hasMetadata && isMetadataParameter(name)));
  const names = Object.keys(given).filter((name) => Array.isArray(given[name]) && isKnown(name));
  const repeated = names.map((name) => ({ pointer: `?${name}`, code: 'invalid_type', detail: hasCommas(query.shape[name]) ? 'Give this once, with its values separated by commas.' : 'This may be given only once.' }));
  return hasMetadata ? [...repeated, ...metadataErrors(given)] : repeated;
}

/** A list that is not repeated, by the style of its parameter in OpenAPI. */
const hasCommas = (schema: z.ZodType | undefined): boolean => (schema?.meta()?.['param'] as { explode?: boolean } | undefined)?.explode === false;

/** The parameters, with the pairs of a metadata filter as one object where the operation has such a filter. */
function queryObject({ query }: Operation, given: Record<string, unknown>): unknown {
  if (!('metadata' in query.shape)) return { ...given };
  const metadata = metadataFilter(given);
  const others = Object.entries(given).filter(([name]) => !isMetadataParameter(name));
  return { ...Object.fromEntries(others), ...(metadata && { metadata }) };
}
