import { z } from 'zod';

/**
 * A body without its optional fields that are null: many languages write what is not set as null. A null that the schema takes is
 * kept, and one for a required field is left to the schema, which refuses it. Creations only: in a change, null clears a field.
 */
export function withoutNulls(schema: z.ZodType, value: unknown): unknown {
  const shape = shapeOf(schema);
  if (!shape || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!field) return [[name, member] as const];
    if (member === null && takes(field, undefined) && !takes(field, null)) return [];
    return [[name, withoutNulls(field, member)] as const];
  });
  return Object.fromEntries(kept);
}

const takes = (field: z.ZodType, value: unknown): boolean => field.safeParse(value).success;

/** The fields of an object; of what may be an object or something else, those of the object. */
function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, z.ZodType>;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return shapeOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).map(shapeOf).find((shape) => shape !== undefined);
  return undefined;
}
