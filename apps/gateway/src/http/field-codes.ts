import { z } from 'zod';

/** The codes of field errors, `errors[].code`, that are not codes of the whole request such as `invalid_url`. */
export const FIELD_CODES = {
  required: 'The field is missing.',
  invalid_type: 'The field has the wrong type, or was given more than once.',
  invalid_value: 'The value is not one of the allowed values, or it conflicts with another field.',
  invalid_format: 'The value does not have the required format, such as that of a time.',
  invalid_text: 'The value contains a NUL character or half a surrogate pair.',
  too_deep: 'Objects and lists are nested more deeply than allowed.',
  too_short: 'The value has too few characters or items.',
  too_long: 'The value has too many characters, bytes or items, or the whole body has too many values.',
  too_small: 'The number is below the minimum.',
  too_large: 'The number is above the maximum.',
  not_found: 'What the value names does not exist.',
  out_of_range: 'The time is outside the range that can be requested.',
} as const;

/** Within version 1 codes are only added. */
export const fieldCode = z.enum(Object.keys(FIELD_CODES) as (keyof typeof FIELD_CODES)[]).meta({
  id: 'FieldCode',
  description: `What is wrong with a field.\n\n${Object.entries(FIELD_CODES).map(([code, meaning]) => `- \`${code}\`: ${meaning}`).join('\n')}`,
});
