/** What is wrong with one field, `errors[].code`, where it is not a code of the whole request such as `invalid_url`. */
export const FIELD_CODES = {
  required: 'It is missing.',
  invalid_type: 'It is of another type than it must be, or was given more than once.',
  invalid_value: 'It is none of the values that it may have, or does not go with another field.',
  invalid_format: 'It does not have the form that it must have, such as that of a time.',
  invalid_text: 'It holds a NUL or half a surrogate pair.',
  too_deep: 'It has more objects and lists within each other than are read.',
  too_short: 'It has too few characters or items.',
  too_long: 'It has too many characters, bytes or items.',
  too_small: 'The number is below the least.',
  too_large: 'The number is above the greatest.',
  out_of_range: 'The time is before or after what can be asked for.',
} as const;

/** For the API description. Within version 1 codes are only added. */
export const FIELD_CODE_MEANINGS = `One of these, or a code that a whole request can have; there may be more later.\n\n${Object.entries(FIELD_CODES)
  .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
  .join('\n')}`;
