import type { FieldError } from '@parlance/platform';
import type { FormFields } from '../uploads/form-reader.js';

/** The errors of a form's media source: it must be a file or a URL, and the file must be one. */
export function sourceErrors(fields: FormFields, hasFile: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (fields.file !== undefined) errors.push({ pointer: '/file', code: 'invalid_type', detail: `This part has no file name, so it is not a file. Did you mean file=@${pathIn(fields.file)}?` });
  if (hasFile && fields.audio_url !== undefined) errors.push({ pointer: '/audio_url', code: 'invalid_value', detail: 'Send a file or an audio_url, not both.' });
  const hasSource = hasFile || fields.file !== undefined || fields.audio_url !== undefined;
  return hasSource ? errors : [{ pointer: '/file', code: 'required', detail: 'A file or an audio_url is required.' }];
}

/** The path that curl should have read, when the text looks like one. */
const pathIn = (text: string | string[]): string => (typeof text === 'string' && /^[^\s\p{C}][^\p{C}]{0,99}$/u.test(text) ? text : 'path');
