import { AppError, notFound, type FieldError } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { bodyPointer, fieldErrors, invalidFields, queryPointer, unusableText, type PointerTo } from './field-errors.js';
import { readJsonBody } from './json-body.js';
import type { Operation } from './operation.js';

export interface Input<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  /** The body as it came, for its fingerprint. */
  rawBody: unknown;
}

type InputOf<O> = O extends Operation<infer P, infer Q, infer B> ? Input<z.output<P>, z.output<Q>, z.output<B>> : never;

/** What a body must meet besides its shape; gets it as it came. */
export type BodyRules = (rawBody: unknown) => Promise<FieldError[]>;

/** Path, query and JSON body of a request, valid as the operation defines them. @throws AppError listing every wrong field of all three */
export async function readInput<O extends Operation>(operation: O, request: FastifyRequest, rules?: BodyRules): Promise<InputOf<O>> {
  const { params, query, errors } = readAddress(operation, request);
  const rawBody = operation.body ? await readJson(operation, request) : undefined;
  const body = operation.body ? check(operation.body.schema, rawBody, bodyPointer, errors) : undefined;
  if (rules) addErrors(errors, await rules(rawBody));
  if (errors.length > 0) throw invalidFields(errors);
  return { params, query, body, rawBody } as InputOf<O>;
}

/** Path and query alone, for a handler that reads the body itself. */
export function readAddress<O extends Operation>(operation: O, request: FastifyRequest) {
  const errors: FieldError[] = [];
  const params = operation.params.safeParse(request.params);
  // Ids are opaque: one that cannot exist is one that does not exist.
  if (!params.success) throw notFound('This');
  const query = check(operation.query, queryObject(operation, request.query), queryPointer, errors);
  return { params: params.data as InputOf<O>['params'], query: query as InputOf<O>['query'], errors };
}

/** The value, or undefined with what is wrong with it added to `errors`. */
export function check<S extends z.ZodType>(schema: S, value: unknown, pointerTo: PointerTo, errors: FieldError[]): z.output<S> | undefined {
  const parsed = schema.safeParse(value, { reportInput: true });
  const found = parsed.success ? unusableText(value, pointerTo) : fieldErrors(parsed.error.issues, pointerTo);
  errors.push(...found);
  return parsed.data;
}

/** One error a place is enough. */
export function addErrors(errors: FieldError[], more: readonly FieldError[]): void {
  errors.push(...more.filter(({ pointer }) => !errors.some((error) => error.pointer === pointer)));
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

async function readJson({ body }: Operation, request: FastifyRequest): Promise<unknown> {
  const type = request.headers['content-type'];
  const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && !(type !== undefined && JSON_TYPE.test(type))) throw unsupportedType();
  const value = hasBody ? await readJsonBody(request.raw) : undefined;
  if (value !== undefined) return value;
  if (body?.optional) return {};
  throw new AppError({ kind: 'invalid', code: 'malformed_json', message: 'A JSON body is needed.' });
}

export const unsupportedType = (): AppError =>
  new AppError({ kind: 'unsupported_media', code: 'unsupported_media_type', message: 'The media type of the body is not supported here.' });

/** `metadata[key]=value` as an object, where the operation has such a filter. */
function queryObject({ query }: Operation, given: unknown): unknown {
  const parameters = Object.entries(given as Record<string, unknown>);
  if (!('metadata' in query.shape)) return Object.fromEntries(parameters);
  const keyOf = (name: string) => /^metadata\[([^\]]*)\]$/.exec(name)?.[1];
  const flat = parameters.filter(([name]) => keyOf(name) === undefined);
  const pairs = parameters.flatMap(([name, value]) => {
    const key = keyOf(name);
    return key === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(pairs.length > 0 ? [...flat, ['metadata', Object.fromEntries(pairs)]] : flat);
}
