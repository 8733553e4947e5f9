import { canonicalLanguage, whisperLanguageTag } from '@parlance/languages';
import { AppError } from '@parlance/platform';
import type { z } from 'zod';
import { bodyPointer, fieldErrors, invalidFields, type PointerTo } from '../http/field-errors.js';

export const MAX_TERM = 100;
/** A term of a prompt has few words; more are a sentence, by which no engine here can be led. */
const MAX_TERM_WORDS = 4;

/** Words and names of a prompt with commas or line breaks between them. */
export const termsOf = (prompt = ''): string[] =>
  prompt
    .split(/[,;\n]/)
    .map((term) => term.trim().replace(/[.:]$/, ''))
    .filter((term) => term !== '' && term.length <= MAX_TERM && term.split(/\s+/).length <= MAX_TERM_WORDS);

/** A code or an English name, such as `de` and `german`. @returns undefined when the language is to be detected. @throws AppError for an unknown one */
export function languageOf(text: string | undefined): string | undefined {
  if (text === undefined || text.toLowerCase() === 'auto') return undefined;
  const tag = whisperLanguageTag(text) ?? canonicalLanguage(text.replaceAll('_', '-'));
  if (tag === undefined) throw invalidValue('language', `This server knows no language ${text.slice(0, 40)}.`);
  return tag;
}

/** The faults that zod found in a value, in words of ours. */
export const invalidValues = ({ issues }: z.ZodError, pointerTo: PointerTo = bodyPointer) => invalidFields(fieldErrors(issues, pointerTo).map((error) => ({ ...error, code: 'invalid_value' })));

export const invalidValue = (name: string, detail: string) => invalidFields([{ pointer: `/${name}`, code: 'invalid_value', detail }]);

/** A parameter that this server cannot serve. */
export const unsupportedParameter = (name: string, message: string): AppError =>
  new AppError({ kind: 'invalid', code: 'invalid_request', message, fields: [{ pointer: `/${name}`, code: 'not_supported', detail: message }] });
