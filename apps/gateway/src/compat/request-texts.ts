import { whisperLanguageTag } from '@parlance/languages';
import { AppError } from '@parlance/platform';
import type { z } from 'zod';
import { canonicalLanguage } from '../languages/language-tag.js';
import { bodyPointer, fieldErrors, invalidFields, type PointerTo } from '../http/field-errors.js';

/** The parameters of a URL or the fields of a form. */
export type Parameters = Readonly<Record<string, string | string[] | undefined>>;

const MAX_TERM = 100;
/** Terms that the vocabulary of a job may have. */
export const MAX_TERMS = 1000;
/** A term of a prompt has few words; more are a sentence, by which no engine here can be led. */
const MAX_TERM_WORDS = 4;

/** The texts of a parameter that are not empty. It may be sent once or several times. */
export const textsOf = (parameters: Parameters, name: string): string[] =>
  [parameters[name] ?? []]
    .flat()
    .map((text) => text.trim())
    .filter((text) => text !== '');

/** The last text, because a client that sends a parameter twice means the second one. @returns undefined for an absent or empty parameter */
export const textOf = (parameters: Parameters, name: string): string | undefined => textsOf(parameters, name).at(-1);

/** Words and names of a prompt with commas or line breaks between them, as many as a job may have. */
export const termsOf = (prompt = ''): string[] =>
  prompt
    .split(/[,;\n]/)
    .map((term) => term.trim().replace(/[.:]$/, ''))
    .filter((term) => term !== '' && term.length <= MAX_TERM && term.split(/\s+/).length <= MAX_TERM_WORDS)
    .slice(0, MAX_TERMS);

/** The terms of a prompt and of a list of keywords, as OpenAI's API has them, as many as a job may have. */
export const vocabularyOf = (prompt: string | undefined, keywords: readonly string[]): string[] =>
  [...termsOf(prompt), ...keywords.map((term) => term.trim()).filter((term) => term !== '' && term.length <= MAX_TERM)].slice(0, MAX_TERMS);

/** A code or an English name, such as `de` and `german`. @returns undefined when the language is to be detected. @throws AppError for an unknown one */
export function languageOf(text: string | undefined): string | undefined {
  if (text === undefined || text.toLowerCase() === 'auto') return undefined;
  return whisperLanguageTag(text) ?? languageTag('language', text);
}

/** A BCP 47 tag, which may have underscores. @throws AppError for an unknown one */
export function languageTag(name: string, text: string): string {
  const tag = canonicalLanguage(text.replaceAll('_', '-'));
  if (tag === undefined) throw invalidValue(name, `This server knows no language ${text.slice(0, 40)}.`);
  return tag;
}

/** The faults that zod found in a value, in words of ours. */
export const invalidValues = ({ issues }: z.ZodError, pointerTo: PointerTo = bodyPointer) => invalidFields(fieldErrors(issues, pointerTo).map((error) => ({ ...error, code: 'invalid_value' })));

export const invalidValue = (name: string, detail: string) => invalidFields([{ pointer: `/${name}`, code: 'invalid_value', detail }]);

/** A parameter that this server cannot serve. */
export const unsupportedParameter = (name: string, message: string): AppError =>
  new AppError({ kind: 'invalid', code: 'invalid_request', message, fields: [{ pointer: `/${name}`, code: 'not_supported', detail: message }] });
