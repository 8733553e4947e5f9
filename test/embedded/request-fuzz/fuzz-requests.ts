import { RUNS } from './adversarial-runs.js';
import type { DescribedOperation, StringPlace } from './described-operations.js';
import { FORM_PLACES, FORM_TYPE, FORMS, formOf } from './fuzz-forms.js';

export interface FuzzRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface FuzzCase {
  /** Operation, place and, but for headers that every operation has, caller: of each, `npm test` sends one. */
  group: string;
  /** For the report: the group, and what stands in the place. */
  name: string;
  /** Made when it is sent: together they are gigabytes. */
  request(): FuzzRequest;
}

export interface Target {
  apiKey: string;
  /** Of a job that is there, so that what comes after the look-up is reached. */
  jobId: string;
  /** That made a job of a form. */
  idempotencyKey: string;
}

const LONG = 100_000;
/** Just under what the head of a request may have. */
const FITS_IN_HEAD = 15_000;
/** Within the bound of a Content-Type. */
const SHORT = 200;
/** Beside those of the document: what HTTP itself, Node, Fastify and the hooks read. */
const HTTP_HEADERS = ['accept', 'accept-encoding', 'content-encoding', 'content-type', 'cookie', 'expect', 'forwarded', 'host', 'if-modified-since', 'origin', 'range', 'traceparent', 'user-agent', 'x-forwarded-for', 'x-request-id'];
/** A body that deletes the job would leave nothing to ask for. */
const SPARES_JOB = new Set(['deleteTranscription']);

/** Each string field and each header of each operation with each run, with and without a key; and each body of many wrong places. */
export function fuzzCases(operations: readonly DescribedOperation[], target: Target): FuzzCase[] {
  return operations.flatMap((operation) => callers(operation, target).flatMap((caller) => [...ofFields(operation, target, caller), ...ofHeaders(operation, target, caller), ...ofQueries(operation, target, caller), ...ofBodies(operation, target, caller), ...ofForms(operation, target, caller)]));
}

function ofFields(operation: DescribedOperation, target: Target, caller: Caller): FuzzCase[] {
  return operation.places.flatMap((place) =>
    product(RUNS, lengthsOf(place)).map(([run, length]) => ({
      ...named(`${operation.id} ${place.in} ${place.path.join('.')}, ${caller.name}`, `${length} ${run.name}`),
      request: () => withText(operation, place, run.text(length), target, caller.headers),
    })),
  );
}

/** Too long for any check; the longest that the head takes; and the longest that is valid, which goes furthest. */
function lengthsOf({ in: where, maxLength }: StringPlace): number[] {
  return [...new Set([LONG, ...(where === 'body' || where === 'form' ? [] : [FITS_IN_HEAD / 3]), ...(maxLength === undefined ? [] : [maxLength])])];
}

function ofHeaders(operation: DescribedOperation, target: Target, caller: Caller): FuzzCase[] {
  const described = operation.headers.map((name) => name.toLowerCase());
  const headers = [...new Set([...described, ...HTTP_HEADERS])];
  const runs = RUNS.filter(({ name }) => name !== 'line ends' && name !== 'fence marks');
  return headers.flatMap((header) =>
    product(runs, header === 'content-type' ? [LONG, FITS_IN_HEAD, SHORT] : [LONG, FITS_IN_HEAD]).map(([run, length]) => ({
      ...named(`${operation.id} header ${header}${described.includes(header) ? `, ${caller.name}` : ''}`, `${length} ${run.name}, ${caller.name}`),
      request: () => {
        const request = withBody(operation, operation.body, target, caller.headers);
        return { ...request, headers: { ...request.headers, [header]: inHeader((PREFIXES[header] ?? '') + run.text(length)) } };
      },
    })),
  );
}

const product = <A, B>(ones: readonly A[], others: readonly B[]): [A, B][] => ones.flatMap((one) => others.map((other): [A, B] => [one, other]));

/** What leads to the parser of the rest. */
const PREFIXES: Readonly<Record<string, string>> = { authorization: 'Bearer ', 'content-type': 'application/json;', range: 'bytes=', accept: 'text/vtt;' };

/** The largest bodies that are read, made of as many wrong places as fit. */
const BODIES: Readonly<Record<string, () => string>> = {
  'unknown fields': () => `{${many(80_000, (index) => `"f${index}":1`)}}`,
  'bad metadata names': () => `{"metadata":{${many(70_000, (index) => `"!${index}":"x"`)}}}`,
  'bad metadata values': () => `{"metadata":{${many(70_000, (index) => `"k${index}":1`)}}}`,
  'wrong items': () => `{"vocabulary":[${many(300_000, () => '{}')}],"scopes":[${many(20_000, () => '{}')}]}`,
  'empty terms': () => `{"vocabulary":[${many(300_000, () => '""')}]}`,
  'a list': () => `[${many(500_000, () => '1')}]`,
  'deep lists': () => `{"vocabulary":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
  'deep objects': () => `{"metadata":${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}}`,
  'NULs in names': () => `{${many(60_000, (index) => `"\\u0000${index}":1`)}}`,
  'lone surrogates': () => `{"vocabulary":[${many(90_000, () => '"\\ud800"')}]}`,
  'one repeated name': () => `{${many(130_000, () => '"a":{}')}}`,
  'prototype names': () => `{${many(60_000, () => '"__proto__":1')}}`,
};
/** Queries with as many parameters as the head takes. */
const QUERIES: Readonly<Record<string, string>> = {
  'many parameters': Array.from({ length: 12_000 }, (_, index) => `p${index}=1`).join('&'),
  'one repeated parameter': 'limit=1&'.repeat(13_000),
  'many filters': Array.from({ length: 6000 }, (_, index) => `metadata[${index}]=1`).join('&'),
  'only separators': '&'.repeat(100_000),
  'only equals signs': '='.repeat(100_000),
  'broken escapes': 'q=%F0%9F'.repeat(12_000),
};
const many = (count: number, text: (index: number) => string): string => Array.from({ length: count }, (_, index) => text(index)).join(',');

function ofQueries(operation: DescribedOperation, target: Target, caller: Caller): FuzzCase[] {
  return Object.entries(QUERIES).map(([name, query]) => ({
    ...named(`${operation.id} query, ${caller.name}`, name),
    request: () => {
      const request = withBody(operation, operation.body, target, caller.headers);
      return { ...request, path: `${request.path.split('?')[0]}?${query}` };
    },
  }));
}

function ofBodies(operation: DescribedOperation, target: Target, caller: Caller): FuzzCase[] {
  if (operation.method === 'GET') return [];
  return Object.entries(BODIES).map(([name, make]) => ({
    ...named(`${operation.id} body, ${caller.name}`, name),
    request: () => ({ ...withBody(operation, undefined, target, caller.headers), body: make() }),
  }));
}

/** Each place of a form with each run, and forms as large as they may be; also as repetitions of one that has its job. */
function ofForms(operation: DescribedOperation, target: Target, caller: Caller): FuzzCase[] {
  if (!operation.takesForm) return [];
  const repeats: [string, Record<string, string>][] = [['', {}], [' again', { 'idempotency-key': target.idempotencyKey }]];
  return repeats.flatMap(([again, headers]) => {
    const all = { ...caller.headers, ...headers };
    const places = Object.entries(FORM_PLACES).flatMap(([place, { lengths, make }]) =>
      product(RUNS, lengths).map(([run, length]) => ({
        ...named(`${operation.id} form ${place}${again}, ${caller.name}`, `${length} ${run.name}`),
        request: () => withForm(operation, make(run.text(length)), target, all),
      })),
    );
    const whole = Object.entries(FORMS).map(([name, make]) => ({
      ...named(`${operation.id} form ${name}${again}, ${caller.name}`, 'whole'),
      request: () => withForm(operation, make(), target, all),
    }));
    return [...places, ...whole];
  });
}

function withForm(operation: DescribedOperation, body: string, target: Target, headers: Record<string, string>): FuzzRequest {
  const request = withBody(operation, undefined, target, headers);
  return { ...request, headers: { ...request.headers, 'content-type': FORM_TYPE }, body };
}

const named = (group: string, what: string): Pick<FuzzCase, 'group' | 'name'> => ({ group, name: `${group}: ${what}` });

interface Caller {
  name: string;
  headers: Record<string, string>;
}

const callers = ({ isPublic }: DescribedOperation, { apiKey }: Target): Caller[] => [
  { name: 'no key', headers: {} },
  ...(isPublic ? [] : [{ name: 'a key', headers: { authorization: `Bearer ${apiKey}` } }]),
];

function withText(operation: DescribedOperation, place: StringPlace, text: string, target: Target, headers: Record<string, string>): FuzzRequest {
  if (place.in === 'body') return withBody(operation, replaced(operation.body, place.path, text), target, headers);
  const [name = ''] = place.path;
  if (place.in === 'form') return withForm(operation, formOf([[name, text]]), target, headers);
  const request = withBody(operation, operation.body, target, headers, place.in === 'path' ? { [name]: text } : {});
  if (place.in === 'path') return request;
  const query = new URLSearchParams({ ...operation.query, [name === 'metadata' ? 'metadata[a]' : name]: text });
  return { ...request, path: `${request.path.split('?')[0]}?${query}` };
}

function withBody(operation: DescribedOperation, body: unknown, { jobId }: Target, headers: Record<string, string>, parameters: Record<string, string> = {}): FuzzRequest {
  const ids: Record<string, string> = { ...operation.pathParameters, ...(SPARES_JOB.has(operation.id) ? {} : { job_id: jobId }), ...parameters };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ''));
  const query = new URLSearchParams(operation.query).toString();
  return {
    method: operation.method,
    path: query === '' ? path : `${path}?${query}`,
    headers: { ...headers, ...(operation.method !== 'GET' && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/** The value with the text at the place; a last `*` makes the text a member's name. */
function replaced(value: unknown, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return text;
  if (name === '*') return { [text]: 'x' };
  if (name === '0') return [replaced(undefined, rest, text)];
  const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  return { ...object, [name]: replaced((object as Record<string, unknown>)[name], rest, text) };
}

/** Bytes of UTF-8, as a client may send them. */
const inHeader = (text: string): string => Buffer.from(text).toString('latin1');
