import type { ZodOpenApiOverride } from 'zod-openapi';

const MAX_INT32 = 2 ** 31 - 1;

/**
 * Adds to each schema what generators of clients need beyond what zod writes. Answers stay open, because clients that are made from
 * closed objects would refuse a field that is added; numbers have a format, because many languages have more than one type for them.
 */
export const describeTypes: ZodOpenApiOverride = ({ io, jsonSchema }) => {
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // Readers of a description make up a time by themselves.
  if (jsonSchema.format === 'date-time') delete jsonSchema.example;
  if (jsonSchema.type === 'number') jsonSchema.format ??= 'double';
  if (jsonSchema.type !== 'integer') return;
  // The bounds of a double are zod's own, and no bounds of the field.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  jsonSchema.format = (jsonSchema.maximum ?? Infinity) <= MAX_INT32 ? 'int32' : 'int64';
};

/** Leaves of a reference what it may have beside `$ref`: zod repeats there that the object is closed. */
export const referencesOnly = <Document extends object>(document: Document): Document =>
  JSON.parse(JSON.stringify(document), (_, value: unknown) => (isReference(value) ? reference(value) : value)) as Document;

interface Reference {
  $ref: string;
  description?: string;
}

const isReference = (value: unknown): value is Reference => typeof value === 'object' && value !== null && '$ref' in value;

const reference = ({ $ref, description }: Reference): Reference => ({ $ref, ...(description !== undefined && { description }) });
