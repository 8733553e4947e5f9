import { findPhoneNumbersInText, isSupportedCountry, type CountryCode } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/metadata.min';
import { entitiesOf, type EntityRecognizer, type TextEntity } from './entity.js';

/** Digits of a number that a recogniser parted at a pause; as many spaces keep the places of the text. */
const PARTED = /(?<=\d), (?=\d)/gu;
/** Digits of a parted number; fewer may as well be two numbers of a list. */
const MIN_PARTED = 10;
/** A number that no country's plan confirms, after a word that says what it is. */
const DIGITS = /(?<![\p{L}\p{N}])\+?\d(?:[ ()./-]{0,3}\d){5,14}(?![\p{L}\p{N}])/gu;
const INTRODUCTION = new Set('phone telephone mobile cell fax call dial ring text reach whatsapp telefon telefonnummer handy handynummer téléphone teléfono móvil telefono cellulare'.split(' '));
/** Characters before the digits in which the word is looked for. */
const REACH = 40;

/**
 * Telephone numbers that are valid in the region of the language (or the most likely one), or anywhere with a `+`, by libphonenumber;
 * and digits that the speaker calls one. Normalised to E.164 when the number or the language says the country.
 */
export const findPhoneNumbers: EntityRecognizer = (text, { language }) => {
  if (!/\d/u.test(text)) return [];
  const { region } = new Intl.Locale(language);
  const likely = region ?? new Intl.Locale(language).maximize().region ?? '';
  const options = isSupportedCountry(likely as CountryCode, metadata) ? { defaultCountry: likely as CountryCode } : {};
  const found = findPhoneNumbersInText(text.replaceAll(PARTED, '  '), options, metadata).flatMap(({ startsAt, endsAt, number }): TextEntity[] => {
    if (text.slice(startsAt, endsAt).includes(', ') && number.nationalNumber.length < MIN_PARTED) return [];
    const isCertain = region !== undefined || text.slice(startsAt, endsAt).trimStart().startsWith('+');
    return [{ type: 'phone_number', from: startsAt, to: endsAt, ...(isCertain && { normalized: number.number }) }];
  });
  return [...found, ...entitiesOf(DIGITS, text, ({ index }) => (isIntroduced(text.slice(Math.max(0, index - REACH), index)) ? { type: 'phone_number' } : undefined))];
};

function isIntroduced(before: string): boolean {
  const clause = before.slice(Math.max(before.lastIndexOf('.'), before.lastIndexOf('!'), before.lastIndexOf('?')) + 1);
  return clause.toLowerCase().split(/[^\p{L}]+/u).some((word) => INTRODUCTION.has(word));
}
