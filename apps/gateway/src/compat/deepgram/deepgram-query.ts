import { invalidFields } from '../../http/field-errors.js';

/** The parameters of a request's URL, each once or several times. */
export type DeepgramQuery = Readonly<Record<string, string | string[] | undefined>>;

/** The texts of a parameter that are not empty. */
export const textsOf = (query: DeepgramQuery, name: string): string[] =>
  [query[name] ?? []]
    .flat()
    .map((text) => text.trim())
    .filter((text) => text !== '');

/** The last text, as a client that sends a parameter twice means the second one. */
export const textOf = (query: DeepgramQuery, name: string): string | undefined => textsOf(query, name).at(-1);

/** @throws AppError invalid_request for what is neither true nor false */
export function flagOf(query: DeepgramQuery, name: string): boolean {
  const text = (textOf(query, name) ?? 'false').toLowerCase();
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw invalidParameter(name, 'Choose true or false.');
}

/** @throws AppError invalid_request for what is no number within these bounds */
export function numberOf(query: DeepgramQuery, name: string, { min, max }: { min: number; max: number }): number | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isFinite(number) && number >= min && number <= max) return number;
  throw invalidParameter(name, `Choose a number from ${min} to ${max}.`);
}

/** True for a parameter that asks for something. */
export const isAsked = (query: DeepgramQuery, name: string): boolean => textsOf(query, name).some((text) => !/^(?:false|0)$/i.test(text));

export const invalidParameter = (name: string, detail: string) => invalidFields([{ pointer: `/${name}`, code: 'invalid_value', detail }]);
export const unsupportedParameter = (name: string, detail: string) => invalidFields([{ pointer: `/${name}`, code: 'not_supported', detail }]);
