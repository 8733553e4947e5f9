import { z } from 'zod';
import type { Operation } from '../src/http/operation.js';

/** Values that a field of some type takes, and no field takes as such. */
export const WRONG_VALUES: Readonly<Record<string, unknown>> = {
  'an object': { nonsense: { deeper: [] } },
  'a list': [[], null, {}],
  'a negative number': -1,
  'a huge number': 1e308,
  'a fraction': 0.000_1,
  'a boolean': true,
  null: null,
  'an over-long text': 'ж'.repeat(100_000),
};

/** Texts that nothing takes. */
export const UNUSABLE_TEXTS: Readonly<Record<string, string>> = { 'a NUL': 'a\0b', 'half a surrogate pair': 'a\ud800b' };

/** As they come in an address; the last is no UTF-8. */
export const WRONG_PARAMETERS = ['-1', '0', '99999999999999999999', '1e309', 'x'.repeat(3000), '%F0%9F%98%80', '', "';--", '../..', '%00', '%ED%A0%80'];

/** The names of the fields of a body; of one that is no plain object, none. */
export const fieldsOf = ({ body }: Operation): string[] => (body?.schema instanceof z.ZodObject ? Object.keys(body.schema.shape) : []);

/** The address with ids of the right form, that of a job and whatever the description has as its example. */
export function addressOf({ path, params }: Operation, ids: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const example = (params.shape[name] as z.ZodType | undefined)?.meta()?.example;
    return ids[name] ?? (typeof example === 'string' || typeof example === 'number' ? String(example) : 'x1');
  });
}
