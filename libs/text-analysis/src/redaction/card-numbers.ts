import validator from 'validator';
import { isDigits, numberRuns, placeOf, type NumberRun } from './number-runs.js';
import type { PlaceFinder, RedactedPlace } from './policy.js';

/** First digits and lengths of cards that are in use (ISO/IEC 7812): American Express, Diners Club, JCB, Visa, Mastercard, Mir, Maestro, RuPay, Discover, UnionPay. */
const ISSUERS = [
  /^3[47]\d{13}$/u,
  /^3(?:0[0-5]|[689]\d)\d{11}$/u,
  /^35(?:2[89]|[3-8]\d)\d{12,15}$/u,
  /^4(?:\d{12}|\d{15}|\d{18})$/u,
  /^(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}$/u,
  /^220[0-4]\d{12,15}$/u,
  /^(?:50(?:18|20|38)|5893|6304|67(?:59|6[1-3]))\d{9,15}$/u,
  /^(?:508[5-9]|6069|607\d|608\d|8[12]\d{2})\d{12}$/u,
  /^6(?:011|4[4-9]\d|5\d{2})\d{12,15}$/u,
  /^(?:62|81)\d{14,17}$/u,
];
const LENGTHS = { shortest: 13, longest: 19 };

/** Digits that may follow a card number without a word between: its month, year and security code. */
const MAX_BEHIND_CARD = 8;

/** Characters before a number in which the words that say what it is are looked for. */
const REACH = 40;
const OTHER_NUMBER = /(?<!\p{L})(?:(?:order|invoice|tracking|shipment|parcel|serial|ticket|booking|reservation|confirmation|case|claim|part|article|transaction|reference) (?:number|no\.?|id|code)|barcode|imei|ean|isbn)(?: (?:is|was|reads))?[:#]? ?$/iu;
/** Letters that a number continues, as in `INV-4111`. */
const LETTERS = /(?<!\p{L})\p{Lu}{1,5}-$/u;
const CARD = /(?<!\p{L})(?:card|visa|mastercard|amex|american express|discover|maestro|karte|carte|tarjeta|carta|cartão|kaart)(?!\p{L})/iu;

/**
 * Numbers of payment cards whose check digit is right (Luhn) and whose first digits and length are those of an issuer. One in ten numbers
 * passes that by chance. So a card number begins where a run does, or behind a pause, is not dialled with a `+`, and is not called another
 * number (`order number`).
 */
export const findCardNumbers: PlaceFinder = (text) =>
  numberRuns(text, isDigits).flatMap(cardsIn).filter(({ from }) => !isOtherNumber(text.slice(Math.max(0, from - REACH), from)));

const isOtherNumber = (before: string): boolean => before.endsWith('+') || ((LETTERS.test(before) || OTHER_NUMBER.test(before)) && !CARD.test(before));

function cardsIn(run: NumberRun): RedactedPlace[] {
  const found: RedactedPlace[] = [];
  let next = 0;
  for (const from of run.starts) {
    const end = from < next ? undefined : cardEnd(run, from);
    if (end === undefined) continue;
    found.push({ policy: 'card_number', ...placeOf(run, from, end), value: run.compact.slice(from, end) });
    next = end;
  }
  return found;
}

function cardEnd({ edges, starts, compact }: NumberRun, from: number): number | undefined {
  const behind = (end: number) => (starts.find((start) => start >= end) ?? compact.length) - end;
  return edges.findLast((end) => isLength(end - from) && behind(end) <= MAX_BEHIND_CARD && isCard(compact.slice(from, end)));
}

const isLength = (length: number): boolean => length >= LENGTHS.shortest && length <= LENGTHS.longest;
const isCard = (number: string): boolean => ISSUERS.some((issuer) => issuer.test(number)) && validator.isLuhnNumber(number);
