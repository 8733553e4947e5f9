import { invalidValue, textOf, textsOf, type Parameters } from '../request-texts.js';

/** The parameters of a request's URL. */
export type DeepgramQuery = Parameters;

/** @throws AppError invalid_request for what is neither true nor false */
export function flagOf(query: DeepgramQuery, name: string): boolean {
  const text = (textOf(query, name) ?? 'false').toLowerCase();
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw invalidValue(name, 'Choose true or false.');
}

/** @throws AppError invalid_request for what is no number within these bounds */
export function numberOf(query: DeepgramQuery, name: string, { min, max }: { min: number; max: number }): number | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isFinite(number) && number >= min && number <= max) return number;
  throw invalidValue(name, `Choose a number from ${min} to ${max}.`);
}

/** True for a parameter that asks for something. */
export const isAsked = (query: DeepgramQuery, name: string): boolean => textsOf(query, name).some((text) => !/^(?:false|0)$/i.test(text));
