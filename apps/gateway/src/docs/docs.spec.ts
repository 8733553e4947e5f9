import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ENDPOINT_TEST, SUBSCRIBABLE_TYPES } from '@parlance/contracts';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { consolePage } from '../console/console-page.js';
import { FAILURE_TEXTS, httpStatusOf } from '@parlance/platform';
import { OPERATION_CODES, PROBLEM_CODES, type ProblemCode, problemOf } from '../http/problem-catalogue.js';
import { FIELD_CODES } from '../http/field-codes.js';
import { WARNINGS } from '../transcriptions/failure-catalogue.js';
import type { z } from 'zod';
import { exampleOf } from './example-of.js';
import { openApiDocument } from './openapi.js';
import { ROUTE_TABLE } from './route-table.js';
import { webhookSchema } from './webhooks.js';

/** Of strangers. */
const PUBLIC = ['getAccountErasure', 'listMediaKeys', 'openLink', 'signUp', 'verifySignup'];

interface DescribedResponse {
  $ref?: string;
  description?: string;
  headers?: object;
  content?: object;
}

interface Described {
  operationId: string;
  responses: Record<string, DescribedResponse>;
}

/** The document as its readers see it: with each shared response in its place. */
const described = () => {
  const { paths = {}, components } = openApiDocument();
  const operations = Object.values(paths).flatMap((path) => Object.values(path ?? {}) as Described[]);
  const responses = (components?.responses ?? {}) as unknown as Described['responses'];
  const inPlace = (response: DescribedResponse) => ('$ref' in response ? (responses[nameIn(response.$ref)] ?? {}) : response);
  return operations.map((operation) => ({ ...operation, responses: Object.fromEntries(Object.entries(operation.responses).map(([status, response]) => [status, inPlace(response)])) }));
};

/** The codes that a response names. */
const codesOf = ({ content, description = '' }: DescribedResponse): ProblemCode[] =>
  content && 'application/problem+json' in content ? [...description.matchAll(/`(\w+)`/g)].map(([, code]) => code as ProblemCode) : [];

const nameIn = (reference: unknown) => String(reference).split('/').at(-1) ?? '';

describe('the API description', () => {
  it('is committed as the routes make it (npm run generate writes it)', async () => {
    const committed: unknown = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'));
    expect(JSON.parse(JSON.stringify(openApiDocument()))).toEqual(committed);
  });

  it('says for every operation who may call it, what it answers and what can go wrong', () => {
    const document = openApiDocument();
    for (const path of Object.values(document.paths ?? {})) {
      for (const operation of Object.values(path ?? {})) {
        const { security = document.security, responses, operationId } = operation as { security?: object[]; responses: Record<string, object>; operationId: string };
        const isPublic = PUBLIC.includes(operationId);
        expect({ operationId, security }).toEqual({ operationId, security: isPublic ? [] : [{ bearer: [] }, { apiKey: [] }] });
        const statuses = Object.keys(responses);
        expect([operationId, statuses.at(-1), statuses.some((status) => status.startsWith('4'))]).toEqual([operationId, 'default', true]);
      }
    }
  });

  it('has each code of the catalogue that operations answer with, and no others', () => {
    expect(new Set(described().flatMap(({ responses }) => Object.values(responses).flatMap(codesOf)))).toEqual(new Set(OPERATION_CODES));
  });

  it('names for each operation the codes that are its own, with their status', () => {
    const ofOperation = Object.fromEntries(described().map(({ operationId, responses }) => [operationId, responses]));
    for (const { id, problems } of ROUTE_TABLE) {
      const { default: ofAll, ...own } = ofOperation[id] ?? {};
      const named = Object.entries(own).flatMap(([status, response]) => codesOf(response).map((code) => [code, Number(status)] as const));
      expect([id, named.filter(([code, status]) => httpStatusOf(code) !== status)]).toEqual([id, []]);
      const known = [...named.map(([code]) => code), ...(ofAll ? codesOf(ofAll) : [])];
      expect([id, problems.filter((code) => !known.includes(code))]).toEqual([id, []]);
    }
    expect(Object.keys(ofOperation.createTranscription ?? {})).toEqual(['202', '402', '409', '413', '422', '429', '503', 'default']);
  });

  it('says once what each code of a problem means, unless the code says it itself', () => {
    const { description = '' } = (openApiDocument().components?.schemas?.ProblemCode ?? {}) as { description?: string };
    const listed = [...description.matchAll(/^- `(\w+)`: ./gm)].map(([, code]) => code);
    expect(listed).toEqual(OPERATION_CODES.filter((code) => listed.includes(code)));
    const others = OPERATION_CODES.filter((code) => !listed.includes(code)).map((code) => [code, problemOf(code).title.toLowerCase().match(/[a-z]{4,}/g) ?? []] as const);
    for (const [code, words] of others) expect([code, words.filter((word) => !code.includes(word.slice(0, 4)))]).toEqual([code, []]);
  });

  it('has under 320 kB as it is served', () => {
    expect(Buffer.byteLength(JSON.stringify(openApiDocument()))).toBeLessThan(320_000);
  });

  it('has what several operations share once: headers, parameters and problems', () => {
    const { paths, components = {} } = openApiDocument();
    const { NotFound: notFound, Problem: problem } = (components.responses ?? {}) as Record<string, { headers?: object; content: object }>;
    expect(problem?.headers).toMatchObject({ 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, 'Retry-After': { $ref: '#/components/headers/Retry-After' } });
    expect(notFound?.content).toEqual({ 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } });
    const { cancel, job } = { cancel: paths?.['/api/v1/transcriptions/{job_id}/cancel']?.post, job: paths?.['/api/v1/transcriptions/{job_id}']?.get };
    expect([cancel?.parameters, job?.parameters?.[0], job?.responses?.['404']]).toEqual([
      [{ $ref: '#/components/parameters/JobId' }, { $ref: '#/components/parameters/IdempotencyKey' }],
      { $ref: '#/components/parameters/JobId' },
      { $ref: '#/components/responses/NotFound' },
    ]);
    const references = [...JSON.stringify({ paths, components }).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    const missing = references.filter(([, section = '', name = '']) => !(name in ((components as Record<string, object>)[section] ?? {})));
    expect(missing).toEqual([]);
  });

  it('says which headers come with an error', () => {
    for (const { operationId, responses } of described()) {
      const ofAll = ['X-Request-Id', 'WWW-Authenticate', 'Allow', 'Retry-After', 'RateLimit-Policy', 'RateLimit'];
      expect([operationId, Object.keys(responses.default?.headers ?? {})]).toEqual([operationId, ofAll]);
      for (const status of ['429', '503']) expect([operationId, status, responses[status]?.headers ?? { 'Retry-After': {} }]).toMatchObject([operationId, status, { 'Retry-After': {} }]);
    }
  });

  it('leaves answers open, as they may get fields, and closes bodies alone, with their parts', () => {
    const { paths = {}, components: { schemas = {} } = {} } = openApiDocument();
    const operations = Object.values(paths).flatMap((path) => Object.values(path ?? {}) as { requestBody?: object; responses: object }[]);
    const isClosed = (part: unknown) => /"(?:additional|unevaluated)Properties":false/.test(JSON.stringify(part));
    expect(operations.filter(({ responses }) => isClosed(responses))).toEqual([]);
    const namesIn = (part: unknown) => [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
    const bodies = namesIn(operations.map(({ requestBody = {} }) => requestBody));
    const parts = bodies.flatMap((name) => namesIn(schemas[name]));
    const inBodies = new Set([...bodies, ...parts, ...parts.flatMap((name) => namesIn(schemas[name]))]);
    expect(Object.keys(schemas).filter((name) => isClosed(schemas[name]) && !inBodies.has(name))).toEqual([]);
    expect(bodies.filter((name) => !isClosed(schemas[name]))).toEqual([]);
  });

  it('has an example of every JSON body and answer, which is one', () => {
    for (const { id, body, answers } of ROUTE_TABLE) {
      const wrong = (schema: z.ZodType, of: 'body' | 'answer') => schema.safeParse(exampleOf(schema, of)).error?.issues;
      expect([id, body?.schema && wrong(body.schema, 'body')]).toEqual([id, undefined]);
      for (const [status, { schema }] of Object.entries(answers)) expect([id, status, schema && wrong(schema, 'answer')]).toEqual([id, status, undefined]);
    }
  });

  it('has the file of a form as bytes, beside the fields of the form', () => {
    const { allOf } = (openApiDocument().components?.schemas?.TranscriptionUpload ?? {}) as { allOf?: object[] };
    expect(allOf).toMatchObject([{ $ref: '#/components/schemas/TranscriptionSettings' }, { properties: { file: { type: 'string', format: 'binary' } }, required: ['file'] }]);
  });

  it('describes each property of objects that contain others once', () => {
    const { schemas = {} } = openApiDocument().components ?? {};
    expect(schemas.NewBatchItem).toMatchObject({ allOf: [{ $ref: '#/components/schemas/TranscriptionSettings' }, { $ref: '#/components/schemas/TranscriptionSource' }, {}], unevaluatedProperties: false });
    expect(schemas.Transcription).toMatchObject({ allOf: [{ $ref: '#/components/schemas/TranscriptionState' }, { required: ['metadata', 'options', 'links'] }] });
  });

  it('has every webhook, with examples that are some', () => {
    const { webhooks = {}, components = {} } = openApiDocument();
    const bodies = (components.requestBodies ?? {}) as unknown as Record<string, { content: Record<string, { example: unknown }> }>;
    expect(Object.keys(webhooks).toSorted()).toEqual([...SUBSCRIBABLE_TYPES, ENDPOINT_TEST].toSorted());
    for (const [type, { post }] of Object.entries(webhooks) as [string, { post: { requestBody: { content: Record<string, { example: unknown }> } } }][]) {
      const { $ref = '' } = post.requestBody as { $ref?: string };
      const { content } = $ref === '' ? post.requestBody : (bodies[nameIn($ref)] ?? post.requestBody);
      const { example } = content['application/json'] ?? {};
      if (example !== undefined) expect([type, webhookSchema(type).safeParse(example).error?.issues]).toEqual([type, undefined]);
    }
    expect(webhooks['transcription.completed']).toMatchObject({ post: { requestBody: { content: { 'application/json': { example: { type: 'transcription.completed' } } } } } });
  });

  it('names every parameter of a path', () => {
    for (const { path, params } of ROUTE_TABLE) {
      expect(Object.keys(params.shape)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
  });
});

describe('what there is to read', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const get = (path: string) => fetch(`${gateway.url}${path}`);

  it('is what is served: each operation answers, and not with 404 or 405', async () => {
    for (const { id, method, path, access } of ROUTE_TABLE) {
      const response = await fetch(`${gateway.url}${path.replace(/\{\w+\}/g, 'x')}`, { method });
      const ofPublic: Record<string, number> = { openLink: 404, getAccountErasure: 404, listMediaKeys: 200 };
      expect({ method, path, status: response.status }).toEqual({ method, path, status: access === 'public' ? (ofPublic[id] ?? 400) : 401 });
    }
    expect(await (await get('/openapi.json')).json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  it('gives commands for the address it was asked at', async () => {
    const html = await (await get('/')).text();
    expect(html).toContain(`${gateway.url}/api/v1/transcriptions`);
    expect(html).not.toContain(':3000');
    expect(consolePage('https', 'speech.example.org')).toContain('https://speech.example.org/api/v1');
    expect(consolePage('http', 'x;rm -rf ~')).toContain('http://localhost/api/v1');
  });

  it('needs no other server: the pages load nothing from elsewhere', async () => {
    for (const path of ['/', '/docs', '/problems']) {
      const response = await get(path);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const html = await response.text();
      const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, target]) => target ?? '');
      for (const target of loaded.filter((each) => !each.startsWith('data:'))) {
        expect(target).toMatch(/^\/(?!\/)/);
        expect((await get(target)).status).toBe(200);
      }
    }
  });

  it('has a page for each error code, and no others', async () => {
    for (const code of [...PROBLEM_CODES, ...Object.keys({ ...FAILURE_TEXTS, ...WARNINGS, ...FIELD_CODES })]) expect(await (await get(`/problems/${code}`)).text()).toContain(code);
    const both = await (await get('/problems/quota_exhausted')).text();
    for (const meaning of ['HTTP 402', 'Codes of failed jobs and stages']) expect(both).toContain(meaning);
    expect((await get('/problems/nothing')).status).toBe(404);
    expect((await get('/docs/package.json')).status).toBe(404);
    expect((await get('/docs/..%2fpackage.json')).status).toBe(404);
  });

  it('says what each code means that a job can fail with or warn of', async () => {
    const page = await (await get('/problems')).text();
    const described = JSON.stringify(openApiDocument().components?.schemas);
    for (const code of Object.keys({ ...FAILURE_TEXTS, ...WARNINGS })) {
      expect(page).toContain(`<code>${code}</code></a></dt>`);
      expect(described).toContain(`"${code}"`);
    }
  });

  it('tells orchestrators how the process is, without naming a host', async () => {
    expect(await (await get('/health/live')).json()).toEqual({ status: 'ok' });
    const ready = await get('/health/ready');
    expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ok', checks: { event_bus: 'ok', gateway_documents: 'ok' } }]);
    const dependencies = await get('/health/dependencies');
    expect([dependencies.status, await dependencies.json()]).toMatchObject([200, { status: 'ok', checks: { event_bus: 'ok', media_store: 'ok', gateway_documents: 'ok' } }]);
    expect(await (await get('/metrics')).text()).toContain('parlance_http_request_duration_seconds_count');
  });

  it('lists the languages of the engine by name', async () => {
    expect((await gateway.call('GET', '/languages')).body).toEqual({
      model: 'default',
      engine: 'stand-in',
      detects_language: true,
      languages: [{ code: 'en', name: 'English' }, { code: 'de', name: 'German' }],
    });
  });

  it('lists the languages of the model that is named, and refuses one that does not exist', async () => {
    expect((await gateway.call('GET', '/languages?model=english')).body).toMatchObject({ model: 'english', engine: 'stand-in:english', detects_language: false, languages: [{ code: 'en' }] });
    expect(await gateway.call('GET', '/languages?model=other')).toMatchObject({
      status: 422,
      body: { code: 'model_unknown', errors: [{ pointer: '?model', detail: 'There is no such model. The models are: default, english.' }] },
    });
  });

  it('lists the speech engines that a job can choose, with what they can do and cost', async () => {
    const common = { available: true, vocabulary: false, formats_text: true, word_times: true, word_confidence: 'always', language_confidence: 'never' };
    expect((await gateway.call('GET', '/models')).body).toEqual({
      data: [
        { ...common, model: 'default', engine: 'stand-in', is_default: true, hosting: 'local', languages: ['en', 'de'], detects_language: true, reports_language: true },
        {
          ...common, model: 'english', engine: 'stand-in:english', is_default: false, hosting: 'external', languages: ['en'],
          detects_language: false, reports_language: false, price: { per_minute: 0.006, currency: 'EUR' },
        },
      ],
    });
  });
});
