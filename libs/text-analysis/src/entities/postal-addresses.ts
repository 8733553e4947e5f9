import { anyOf, entitiesOf, type EntityRecognizer } from './entity.js';

// Streets in English: a number, one to four words of a name, a kind of street; then, where they follow, a unit and a place with its code.
const UNIT = String.raw`(?:,? (?:apartment|apt\.?|suite|ste\.?|unit|floor) [\p{L}\p{N}]{1,6}(?![\p{L}\p{N}]))?`;
const STATE = 'A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]';
const CITY = String.raw`(?:,? \p{Lu}[\p{L}'-]{1,30}){1,3}`;
const PLACE = String.raw`(?:${CITY},? (?:(?:${STATE})(?![\p{L}\p{N}])(?: \d{5}(?:-\d{4})?)?|\d{5}(?!\d)|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}(?![\p{L}\p{N}])))?`;
const HOUSE = String.raw`(?<![\p{L}\p{N}$€£.,:-])\d{1,5}[A-Da-d]?(?![\p{L}\p{N}%])`;
const PLAIN_KINDS = '[Ss]treet|[Aa]venue|[Bb]oulevard|[Rr]oad|[Ll]ane|St|Ave|Blvd|Rd|Ln';
const CAPITAL_KINDS = 'Drive|Court|Place|Square|Terrace|Way|Parkway|Highway|Crescent|Close|Circle|Trail|Mews|Row|Gardens|Dr|Ct|Pl|Sq';
const PLAIN_STREET = new RegExp(String.raw`${HOUSE}((?: [\p{L}\d'.-]{1,30}){1,3}) (?:${PLAIN_KINDS})(?![\p{L}\p{N}])\.?${UNIT}${PLACE}`, 'gu');
const CAPITAL_STREET = new RegExp(String.raw`${HOUSE}((?: (?:\p{Lu}[\p{L}'.-]{0,30}|\d{1,3}(?:st|nd|rd|th))){1,4}) (?:${CAPITAL_KINDS})(?![\p{L}\p{N}])\.?${UNIT}${PLACE}`, 'gu');
/** Words that are not in the name of a street, so that "20 people in the street" is none. */
const NO_NAME = new Set(
  'a an the of in on at to and or by for from with across along down up off that this our their my your people cars miles mile hours hour minutes minute minutes days day blocks block feet foot lane way side city different other more new old percent dollars years year two three four is are was were long wide busy main-line point'.split(' '),
);
const BOX = /(?<![\p{L}\p{N}])P\.? ?O\.? box \d{1,7}(?!\d)/giu;

const EUROPEAN_PLACE = String.raw`(?:,? (?:in )?\d{5} \p{Lu}[\p{L}-]*)?`;
// The number follows the street in German, Spanish and Italian, and precedes it in French.
const GERMAN_STREETS = anyOf(['straße', 'strasse', 'str.', 'weg', 'platz', 'allee', 'gasse', 'damm', 'ufer']);
const GERMAN_KINDS = anyOf(['Straße', 'Strasse', 'Weg', 'Platz', 'Allee', 'Gasse', 'Damm', 'Ufer', 'Ring']);
const GERMAN = new RegExp(String.raw`(?<![\p{L}\p{N}])\p{Lu}(?:[\p{L}-]*(?:${GERMAN_STREETS})|[\p{L}-]* (?:${GERMAN_KINDS})) \d{1,4}[a-h]?(?![\p{L}\p{N}])${EUROPEAN_PLACE}`, 'gu');
const eitherCase = (words: string): string => words.replaceAll(/(?<=^|\|)\p{Ll}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);
const FRENCH_KINDS = eitherCase('rue|avenue|boulevard|allée|chemin|impasse|quai|route|cours|place');
const FRENCH = new RegExp(
  String.raw`(?<![\p{L}\p{N}])\d{1,4}(?: bis| ter)?,? (?:${FRENCH_KINDS})(?: (?:de|du|des|la|le|les)){0,2}(?: (?:[dl]['’])?\p{Lu}[\p{L}'-]{1,30}){1,4}${EUROPEAN_PLACE}`,
  'gu',
);
const SOUTHERN_KINDS = eitherCase('calle|avenida|paseo|plaza|carrer|via|viale|corso|piazza');
const SOUTHERN = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${SOUTHERN_KINDS})(?: (?:de|del|la|las|los|el|di|della|dei)){0,2}(?: \p{Lu}[\p{L}'-]{1,30}){1,4},? (?:número )?\d{1,4}(?!\d)${EUROPEAN_PLACE}`,
  'gu',
);

/** Addresses of streets and post-office boxes, as far as their form shows: English, German, French, Spanish and Italian. */
export const findPostalAddresses: EntityRecognizer = (text) => {
  const named = (name = '') => (name.trim().toLowerCase().split(/\s+/u).some((word) => NO_NAME.has(word)) ? undefined : ({ type: 'address' } as const));
  return [
    ...[PLAIN_STREET, CAPITAL_STREET].flatMap((expression) => entitiesOf(expression, text, ([, name]) => named(name))),
    ...[BOX, GERMAN, FRENCH, SOUTHERN].flatMap((expression) => entitiesOf(expression, text, () => ({ type: 'address' }))),
  ];
};
