import validator from 'validator';
import { numberRuns, placeOf, type NumberRun } from './number-runs.js';
import type { PlaceFinder, RedactedPlace } from './policy.js';

/** The shortest is that of Norway, the longest that of Russia. */
const LENGTHS = { shortest: 15, longest: 34 };
/** The code of a country and two check digits. */
const BEGINNING = /(?=[A-Z]{2}\d{2})/gu;
const COUNTRY_CODE = /^(?:[A-Z]{2}|[A-Za-z]{2}\d|[A-Za-z][^A-Za-z]{1,4}[A-Za-z](?![A-Za-z]))/u;
/** Characters that are enough for the code of a country as it is spelled out. */
const CODE_LENGTH = 10;
/** `A` is 10 and `Z` is 35. */
const BASE = 36;

/** International bank account numbers of a country's form whose check digits are right (ISO 13616, mod 97). */
export const findIbans: PlaceFinder = (text) => ibanShapes(text).filter(({ value }) => validator.isIBAN(value));

/** Numbers in the form of a country's account numbers, also with wrong check digits. The code is in capitals, spelled out or before digits: `at 41` is none. */
export const accountNumbers: PlaceFinder = (text) => ibanShapes(text).filter(({ from }) => COUNTRY_CODE.test(text.slice(from, from + CODE_LENGTH)));

const ibanShapes: PlaceFinder = (text) => numberRuns(text, isPart).flatMap(shapesIn);

/** Digits, letters beside digits, one or two letters by themselves: spelled out, or the code of the country; and the four of a bank. */
const isPart = (group: string): boolean => /^[A-Za-z0-9]+$/u.test(group) && (group.length <= 2 || /\d|^[A-Z]{4}$/u.test(group));

function shapesIn(run: NumberRun): RedactedPlace[] {
  const found: RedactedPlace[] = [];
  let next = 0;
  for (const { index: first } of run.compact.matchAll(BEGINNING)) {
    const end = first < next ? undefined : endOfShape(run, first);
    if (end === undefined) continue;
    found.push({ policy: 'iban', ...placeOf(run, first, end), value: run.compact.slice(first, end) });
    next = end;
  }
  return found;
}

function endOfShape({ compact, places }: NumberRun, first: number): number | undefined {
  const isWithinGroup = (at: number) => places[at] === (places[at - 1] ?? 0) + 1;
  if (first > 0 && isWithinGroup(first)) return undefined;
  for (let end = first + LENGTHS.shortest; end <= Math.min(compact.length, first + LENGTHS.longest); end += 1) if (!isWithinGroup(end) && validator.isIBAN(withRightCheckDigits(compact.slice(first, end)))) return end;
  return undefined;
}

function withRightCheckDigits(number: string): string {
  const [country, account] = [number.slice(0, 2), number.slice(4)];
  const digits = [...`${account}${country}00`].map((character) => Number.parseInt(character, BASE)).join('');
  return `${country}${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${account}`;
}
