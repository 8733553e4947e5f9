import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { escapeFieldNames, unescapeFieldNames } from './field-names.js';

const json = fc.jsonValue({ stringUnit: fc.constantFrom('a', 'B', '%', '.', '$', '\0', '2', 'E', 'ü') });

describe('names of fields', () => {
  it('come back, whatever they are', () => {
    fc.assert(
      fc.property(json, (value) => {
        const escaped = escapeFieldNames(value);
        expect(unescapeFieldNames(escaped.value)).toEqual(value);
        if (!escaped.changed) expect(escaped.value).toEqual(value);
      }),
    );
  });

  it('have nothing that MongoDB gives a meaning', () => {
    fc.assert(
      fc.property(json, (value) => {
        const names: string[] = [];
        JSON.stringify(escapeFieldNames(value).value, (name, item: unknown) => (names.push(name), item));
        expect(names.filter((name) => /[.$\0]/.test(name))).toEqual([]);
      }),
    );
  });

  it('stay readable', () => {
    expect(escapeFieldNames({ accountId: 'a', 'order.no': { $ref: 1 } })).toEqual({
      value: { accountId: 'a', 'order%2Eno': { '%24ref': 1 } },
      changed: true,
    });
    expect(escapeFieldNames({ accountId: 'a', list: [{ b: 'c.d' }] }).changed).toBe(false);
  });

  it('may be those that objects have of their own', () => {
    const value: unknown = JSON.parse('{"__proto__":{"a.b":1},"constructor":2}');
    expect(JSON.stringify(unescapeFieldNames(escapeFieldNames(value).value))).toBe(JSON.stringify(value));
  });
});
