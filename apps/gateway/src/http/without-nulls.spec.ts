import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { withoutNulls } from './without-nulls.js';

const schema = z.strictObject({
  name: z.string(),
  language: z.string().optional(),
  summary: z.union([z.boolean(), z.strictObject({ format: z.string().optional() })]).default(true),
  cleared: z.string().nullable().optional(),
  metadata: z.record(z.string(), z.string()).default({}),
});

describe('a null in the body of a creation', () => {
  it('means that an optional field is absent, at any depth', () => {
    expect(withoutNulls(schema, { name: 'a', language: null, summary: { format: null }, metadata: null })).toEqual({ name: 'a', summary: {} });
  });

  it('is left where it says something, or is wrong', () => {
    const body = { name: null, cleared: null, unknown: null, metadata: { key: null } };
    expect(withoutNulls(schema, body)).toEqual(body);
    for (const other of [null, 'text', [null], 5]) expect(withoutNulls(schema, other)).toEqual(other);
  });
});
