import type { oas31, ZodOpenApiOverride } from 'zod-openapi';

const MAX_INT32 = 2 ** 31 - 1;

/**
 * Adds to each schema what generators of clients need beyond what zod writes. Answers stay open, because clients that are made from
 * closed objects would refuse a field that is added; numbers have a format, because many languages have more than one type for them.
 */
export const describeTypes: ZodOpenApiOverride = ({ io, jsonSchema }) => {
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // The format says it.
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  // Readers of a description make up a time by themselves.
  if (jsonSchema.format === 'date-time') delete jsonSchema.example;
  // Keys are strings in any case.
  if (jsonSchema.propertyNames) dropKeyType(jsonSchema);
  if (jsonSchema.type === 'number') jsonSchema.format ??= 'double';
  if (jsonSchema.type !== 'integer') return;
  // The bounds of a double are zod's own, and no bounds of the field.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  jsonSchema.format = (jsonSchema.maximum ?? Infinity) <= MAX_INT32 ? 'int32' : 'int64';
};

function dropKeyType(schema: { propertyNames?: unknown }): void {
  const { type: _string, ...bounds } = schema.propertyNames as { type?: string };
  if (Object.keys(bounds).length > 0) schema.propertyNames = bounds;
  else delete schema.propertyNames;
}

/** Leaves of a reference what it may have beside `$ref`: zod repeats there that the object is closed. */
export const referencesOnly = <Document extends object>(document: Document): Document =>
  JSON.parse(JSON.stringify(document), (_, value: unknown) => (isReference(value) ? reference(value) : value)) as Document;

interface Reference {
  $ref: string;
  description?: string;
}

const isReference = (value: unknown): value is Reference => typeof value === 'object' && value !== null && '$ref' in value;

const reference = ({ $ref, description }: Reference): Reference => ({ $ref, ...(description !== undefined && { description }) });

/**
 * Removes what says nothing: descriptions and examples of the items and forms of a value that has its own, and examples of ids in what
 * only the server writes, where the pattern shows the id.
 */
export function dropRepeats({ paths = {}, components = {} }: oas31.OpenAPIObject): void {
  const schemas: Record<string, object> = components.schemas ?? {};
  const given = Object.values(paths).flatMap((path) => Object.values(path) as oas31.OperationObject[]).map(({ requestBody, parameters }) => ({ requestBody, parameters }));
  const sent = namesWithin(given, schemas);
  for (const [name, schema] of Object.entries(schemas)) {
    schemas[name] = JSON.parse(JSON.stringify(schema), (_, value: unknown) => describedOnce(sent.has(name) ? value : withoutIdExample(value))) as object;
  }
}

function withoutIdExample(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('pattern' in value)) return value;
  const { example, ...others } = value as Described;
  return typeof example === 'string' && /^[a-z]{3}_[0-9a-z]{10}$/.test(example) ? others : value;
}

interface Described {
  example?: unknown;
  description?: string;
  items?: object;
  anyOf?: object[];
}

function describedOnce(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { description, items, anyOf } = value as Described;
  if (typeof description !== 'string') return value;
  return { ...value, ...(items && { items: undescribed(items) }), ...(Array.isArray(anyOf) && { anyOf: anyOf.map(undescribed) }) };
}

const undescribed = (schema: object): object => Object.fromEntries(Object.entries(schema).filter(([key]) => '$ref' in schema || (key !== 'description' && key !== 'example')));

/** The names of the schemas that a part of the document refers to, through all references. */
function namesWithin(part: object, schemas: Readonly<Record<string, object>>, names = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (names.has(name)) continue;
    names.add(name);
    namesWithin(schemas[name] ?? {}, schemas, names);
  }
  return names;
}
