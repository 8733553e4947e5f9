import { z } from 'zod';

/** The codes of field errors, `errors[].code`, that are not codes of the whole request such as `invalid_url`. */
export const FIELD_CODES = {
  required: 'Missing.',
  invalid_type: 'Wrong type, or given more than once.',
  invalid_value: 'Not allowed, or in conflict with another field.',
  invalid_format: 'Not in the required format, such as that of a time.',
  invalid_text: 'NUL or half a surrogate pair.',
  too_deep: 'Objects and lists nested too deeply.',
  too_short: 'Too few characters or items.',
  too_long: 'Too many characters, bytes or items, or too many values in the body.',
  too_small: 'Below the minimum.',
  too_large: 'Above the maximum.',
  not_found: 'What it names does not exist.',
  out_of_range: 'A time that cannot be requested.',
} as const;

/** Within version 1 codes are only added. */
export const fieldCode = z.enum(Object.keys(FIELD_CODES) as (keyof typeof FIELD_CODES)[]).meta({
  id: 'FieldCode',
  description: `What is wrong with a field.\n\n${Object.entries(FIELD_CODES).map(([code, meaning]) => `- \`${code}\`: ${meaning}`).join('\n')}`,
});
