import { ScalarType, type DescEnum, type DescField, type DescMessage } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { commentOn } from './proto-comments.js';

/** JSON Schema, draft 7, as AsyncAPI takes it. */
export type JsonSchema = { [keyword: string]: unknown };

const TIMESTAMP = 'google.protobuf.Timestamp';
const INTEGER_TEXT = '^-?[0-9]+$';

/** 64-bit integers may be text in proto3 JSON; Parlance writes numbers, and others may not. */
const LONG: JsonSchema = { anyOf: [{ type: 'integer' }, { type: 'string', pattern: INTEGER_TEXT }] };

const SCALARS: Partial<Record<ScalarType, { schema: JsonSchema; zero: unknown }>> = {
  [ScalarType.DOUBLE]: { schema: { type: 'number' }, zero: 0 },
  [ScalarType.FLOAT]: { schema: { type: 'number' }, zero: 0 },
  [ScalarType.INT32]: { schema: { type: 'integer', format: 'int32' }, zero: 0 },
  [ScalarType.UINT32]: { schema: { type: 'integer', minimum: 0 }, zero: 0 },
  [ScalarType.INT64]: { schema: LONG, zero: 0 },
  [ScalarType.UINT64]: { schema: LONG, zero: 0 },
  [ScalarType.BOOL]: { schema: { type: 'boolean' }, zero: false },
  [ScalarType.STRING]: { schema: { type: 'string' }, zero: '' },
  [ScalarType.BYTES]: { schema: { type: 'string', contentEncoding: 'base64' }, zero: '' },
};

/**
 * The schemas of a message and all that it holds, by name. Open on purpose: fields and enum values may be added to an event,
 * and a reader that refuses them breaks. Fields that may be left out at their zero value have it as `default`.
 * @see https://protobuf.dev/programming-guides/json/
 */
export function jsonSchemasOf(message: DescMessage, found = new Map<string, JsonSchema>()): Map<string, JsonSchema> {
  if (found.has(message.name)) return found;
  const properties: Record<string, JsonSchema> = {};
  found.set(message.name, { type: 'object', ...described(message), properties });
  for (const field of message.fields) {
    const { zero, ...schema } = schemaOf(field, found);
    const leftOut = field.presence === FeatureSet_FieldPresence.IMPLICIT && zero !== undefined;
    properties[field.jsonName] = { ...described(field), ...schema, ...(leftOut && { default: zero }), ...(field.deprecated && { deprecated: true }) };
  }
  return found;
}

function schemaOf(field: DescField, found: Map<string, JsonSchema>): JsonSchema & { zero?: unknown } {
  if (field.fieldKind === 'list') return { type: 'array', items: elementOf(field, found), zero: [] };
  if (field.fieldKind === 'map') return { type: 'object', additionalProperties: elementOf(field, found), zero: {} };
  if (field.fieldKind === 'scalar') return { ...scalarOf(field.scalar), zero: SCALARS[field.scalar]?.zero };
  if (field.fieldKind === 'enum') return { ...enumOf(field.enum, found), zero: field.enum.values[0]?.name };
  return messageOf(field.message, found);
}

function elementOf(field: DescField & { fieldKind: 'list' | 'map' }, found: Map<string, JsonSchema>): JsonSchema {
  if (field.message) return messageOf(field.message, found);
  return field.enum ? enumOf(field.enum, found) : scalarOf(field.scalar);
}

function scalarOf(scalar: ScalarType): JsonSchema {
  const known = SCALARS[scalar];
  if (!known) throw new Error(`No JSON Schema for the scalar type ${ScalarType[scalar]}.`);
  return known.schema;
}

function messageOf(message: DescMessage, found: Map<string, JsonSchema>): JsonSchema {
  if (message.typeName === TIMESTAMP) return { type: 'string', format: 'date-time' };
  if (message.typeName.startsWith('google.protobuf.')) throw new Error(`No JSON Schema for ${message.typeName}.`);
  jsonSchemasOf(message, found);
  return refer(message.name);
}

function enumOf(type: DescEnum, found: Map<string, JsonSchema>): JsonSchema {
  const known = { title: 'known values', enum: type.values.map(({ name }) => name) };
  const later = { title: 'values of later versions', pattern: `^${type.sharedPrefix?.toUpperCase() ?? ''}[A-Z0-9_]+$` };
  found.set(type.name, { type: 'string', ...described(type), anyOf: [known, later] });
  return refer(type.name);
}

/** Wraps a reference: draft 7 ignores keywords beside a bare $ref. */
const refer = (name: string): JsonSchema => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });

function described(element: DescMessage | DescEnum | DescField): JsonSchema {
  const comment = commentOn(element);
  return comment === undefined ? {} : { description: comment };
}
