import { describe, expect, it } from '@jest/globals';
import type { oas31 } from 'zod-openapi';
import { openApiDocument } from './openapi.js';

type Schema = oas31.SchemaObject & { $ref?: string };

interface Visited {
  schema: Schema;
  /** Where it stands, such as `Transcription.media`. */
  place: string;
  /** Whether it is a component, which has a name. */
  isNamed: boolean;
}

const { components, paths } = openApiDocument() as { components: oas31.ComponentsObject; paths: oas31.PathsObject };
const schemas = components.schemas as Record<string, Schema>;
const operations = Object.values(paths).flatMap((path) => Object.values(path) as oas31.OperationObject[]);

const propertiesOf = ({ properties = {} }: Schema) => properties as Record<string, Schema>;

const contentsOf = ({ content = {} }: { content?: oas31.ContentObject }) => Object.values(content).flatMap(({ schema }) => (schema ? [schema as Schema] : []));

const answersOf = ({ operationId, responses = {} }: oas31.OperationObject): Visited[] =>
  Object.entries(responses as Record<string, oas31.ResponseObject>).flatMap(([status, response]) => contentsOf(response).map((schema) => ({ schema, place: `${operationId} ${status}`, isNamed: false })));

const bodiesOf = ({ operationId, requestBody }: oas31.OperationObject): Visited[] =>
  requestBody ? contentsOf(requestBody as oas31.RequestBodyObject).map((schema) => ({ schema, place: `${operationId} body`, isNamed: false })) : [];

/** The schema and all within it, without what it refers to. */
function visit(visited: Visited): Visited[] {
  const { schema, place } = visited;
  const within = (inner: unknown, at: string) => (typeof inner === 'object' && inner !== null ? visit({ schema: inner as Schema, place: at, isNamed: false }) : []);
  return [
    visited,
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => within(property, `${place}.${name}`)),
    ...within(schema.items, `${place}[]`),
    ...within(schema.additionalProperties, `${place}{}`),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((form) => within(form, place)),
    // A part is of the schema itself, and has its name.
    ...(schema.allOf ?? []).flatMap((part) => visit({ schema: part as Schema, place, isNamed: true })),
  ];
}

const named: Visited[] = Object.entries(schemas).map(([place, schema]) => ({ schema, place, isNamed: true }));
const all = [...named, ...operations.flatMap((operation) => [...bodiesOf(operation), ...answersOf(operation)])].flatMap(visit);
const referred = ({ $ref }: Schema): Schema | undefined => ($ref === undefined ? undefined : schemas[$ref.split('/').at(-1) ?? '']);

/** What answers contain, through all references. */
function reachable(start: readonly Visited[]): Visited[] {
  const seen = new Set<Schema>();
  const open = [...start];
  const found: Visited[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next.schema)) continue;
    seen.add(next.schema);
    const inner = visit(next);
    found.push(...inner);
    for (const { schema, place } of inner) {
      const target = referred(schema);
      if (target) open.push({ schema: target, place, isNamed: true });
    }
  }
  return found;
}

describe('the schemas of the API description', () => {
  it('have a name where they are objects, so that no generator makes one up', () => {
    expect(all.filter(({ schema, isNamed }) => schema.properties !== undefined && !isNamed).map(({ place }) => place)).toEqual([]);
  });

  it('describe themselves and each of their properties', () => {
    // The pattern of an id says it, and the schema of the items of a page.
    const isId = ({ pattern }: Schema) => /^\^[a-z]{3}_/.test(pattern ?? '');
    const isDescribed = (schema: Schema) => schema.description !== undefined || referred(schema)?.description !== undefined || isId(referred(schema) ?? schema);
    const isItems = (place: string, name: string) => place.endsWith('Page') && name === 'data';
    const undescribed = [
      ...named.filter(({ schema }) => !isDescribed(schema)).map(({ place }) => place),
      ...all.flatMap(({ schema, place }) => Object.entries(propertiesOf(schema)).flatMap(([name, property]) => (isDescribed(property) || isItems(place, name) ? [] : [`${place}.${name}`]))),
      ...operations.flatMap(({ operationId, description, parameters = [] }) => [
        ...(description ? [] : [operationId]),
        ...(parameters as oas31.ParameterObject[]).filter((parameter) => !('$ref' in parameter) && !parameter.description && !isId(parameter.schema as Schema)).map(({ name }) => `${operationId} ?${name}`),
      ]),
    ];
    expect(undescribed).toEqual([]);
  });

  it('have a format for each number, and no bounds that are those of a double', () => {
    const numbers = all.filter(({ schema: { type } }) => type === 'integer' || type === 'number');
    expect(numbers.filter(({ schema: { format } }) => !['int32', 'int64', 'double'].includes(format ?? '')).map(({ place }) => place)).toEqual([]);
    expect(JSON.stringify(openApiDocument())).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  it('name each list of values, and leave it open in answers, as values may be added', () => {
    expect(all.filter(({ schema, isNamed }) => schema.enum !== undefined && !isNamed).map(({ place }) => place)).toEqual([]);
    const open = all.flatMap(({ schema: { anyOf = [] } }) => ((anyOf as Schema[]).some((form) => form.type === 'string' && !form.enum) ? (anyOf as Schema[]) : []));
    const problems = Object.values(components.responses as Record<string, oas31.ResponseObject>).flatMap((response) => contentsOf(response)).map((schema) => ({ schema, place: 'problem', isNamed: false }));
    const closed = reachable([...operations.flatMap(answersOf), ...problems]).filter(({ schema }) => referred(schema)?.enum !== undefined && !open.includes(schema));
    // The type of an event tells the members of a union apart.
    expect(closed.map(({ schema }) => schema.$ref)).toEqual(['#/components/schemas/TranscriptionEventType']);
  });

  it('tell the members of a union apart by a property', () => {
    for (const name of ['WebhookEvent', 'JobStreamEvent', 'ChatStreamEvent']) {
      const { oneOf = [], discriminator } = schemas[name] ?? {};
      expect([name, new Set(Object.values(discriminator?.mapping ?? {}))]).toEqual([name, new Set((oneOf as Schema[]).map(({ $ref }) => $ref))]);
    }
  });

  it('have no tuple, which generators for Python cannot read', () => {
    expect(all.filter(({ schema }) => schema.prefixItems !== undefined || (schema.items as unknown) === false)).toEqual([]);
  });
});
