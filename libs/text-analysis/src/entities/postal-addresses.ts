import type { EntityRecognizer, TextEntity } from './entity.js';
import { isCapitalized, runFrom, wordsIn, type TextWord } from './text-words.js';

type AddressRule = (words: readonly TextWord[], index: number) => { from: number; to: number } | undefined;

/** Kinds of streets in English; the second ones are common nouns as well, and count with a capital only. */
const KINDS = new Set('street avenue boulevard road lane'.split(' '));
const ABBREVIATED_KINDS = new Set('St Ave Blvd Rd Ln Dr Ct Pl Sq Drive Court Place Square Terrace Way Parkway Highway Crescent Close Circle Trail Mews Row Gardens'.split(' '));
/** Words that are not in the name of a street, so that "20 people in the street" is none. */
const NO_NAME = new Set(
  'a an the of in on at to and or by for from with across along down up off that this our their my your people cars miles mile hours hour minutes minute days day blocks block feet foot lane way side city different other more new old percent dollars years year two three four is are was were long wide busy point'.split(' '),
);
const HOUSE = /^\d{1,5}[A-Da-d]?$/u;
const MAX_NAME = 4;

/** `221 Baker Street`, `twelve elm street`: a number, up to four words of a name and a kind of street. */
const english: AddressRule = (words, index) => {
  const house = words[index];
  if (!house || house.isClosed || !HOUSE.test(house.bare)) return undefined;
  for (let at = index + 1; at <= index + 1 + MAX_NAME; at += 1) {
    const word = words[at];
    if (!word || NO_NAME.has(word.bare.toLowerCase())) return undefined;
    const name = words.slice(index + 1, at);
    if (name.length > 0 && isStreet(word, name)) return { from: house.from, to: word.to };
    if (word.isClosed || !/^[\p{L}\d'.-]+$/u.test(word.bare)) return undefined;
  }
  return undefined;
};

const isStreet = ({ bare }: TextWord, name: readonly TextWord[]): boolean =>
  KINDS.has(bare.toLowerCase()) || (ABBREVIATED_KINDS.has(bare) && name.every((word) => isCapitalized(word) || /^\d+(?:st|nd|rd|th)$/u.test(word.bare)));

const box: AddressRule = (words, index) => {
  const [first, second, third] = words.slice(index, index + 3);
  return first && /^p\.?o$/iu.test(first.bare) && second?.bare.toLowerCase() === 'box' && third && /^\d{1,7}$/u.test(third.bare) ? { from: first.from, to: third.to } : undefined;
};

const GERMAN_ENDINGS = ['straße', 'strasse', 'str', 'weg', 'platz', 'allee', 'gasse', 'damm', 'ufer'];
const GERMAN_KINDS = new Set('Straße Strasse Weg Platz Allee Gasse Damm Ufer Ring'.split(' '));

/** `Hauptstraße 5`, `Berliner Straße 12a`. */
const german: AddressRule = (words, index) => {
  const [street, house] = words.slice(index, index + 2);
  if (!street || !house || !isCapitalized(street) || !/^\d{1,4}[a-h]?$/u.test(house.bare)) return undefined;
  const before = words[index - 1];
  if (GERMAN_KINDS.has(street.bare)) return before && isCapitalized(before) && !before.isClosed ? { from: before.from, to: house.to } : undefined;
  return GERMAN_ENDINGS.some((ending) => street.bare.endsWith(ending)) ? { from: street.from, to: house.to } : undefined;
};

const FRENCH_KINDS = new Set('rue avenue boulevard allée chemin impasse quai route cours place'.split(' '));
const SOUTHERN_KINDS = new Set('calle avenida paseo plaza carrer via viale corso piazza'.split(' '));
const PARTICLES = new Set('de du des la le les del las los el di della dei'.split(' '));

/** The capitalised name after a kind of street, behind up to two particles. */
function streetName(words: readonly TextWord[], index: number): TextWord[] {
  const particles = runFrom(words, index, 2, ({ bare }) => PARTICLES.has(bare.toLowerCase()));
  return [...particles, ...runFrom(words, index + particles.length, MAX_NAME, (word) => isCapitalized(word) || /^[dl]['’]\p{Lu}/u.test(word.bare))];
}

/** `12 bis, rue de la Paix`. */
const french: AddressRule = (words, index) => {
  if (!FRENCH_KINDS.has(words[index]?.bare.toLowerCase() ?? '')) return undefined;
  const isSuffixed = ['bis', 'ter'].includes(words[index - 1]?.bare ?? '');
  const house = words[index - (isSuffixed ? 2 : 1)];
  const last = streetName(words, index + 1).at(-1);
  return house && last && isCapitalized({ ...last, bare: last.bare.replace(/^[dl]['’]/u, '') }) && /^\d{1,4}$/u.test(house.bare) ? { from: house.from, to: last.to } : undefined;
};

/** `calle Mayor 12`, `via Roma, 5`: Spanish and Italian. */
const southern: AddressRule = (words, index) => {
  const kind = words[index];
  if (!kind || !SOUTHERN_KINDS.has(kind.bare.toLowerCase())) return undefined;
  const name = streetName(words, index + 1);
  const after = index + 1 + name.length;
  const house = words[words[after]?.bare === 'número' ? after + 1 : after];
  return name.some(isCapitalized) && house && /^\d{1,4}$/u.test(house.bare) ? { from: kind.from, to: house.to } : undefined;
};

const RULES = [english, box, german, french, southern];
const UNITS = new Set('apartment apt suite ste unit floor'.split(' '));
const STATES = new Set('AK AL AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY'.split(' '));

/** Addresses of streets and post-office boxes, as far as their form shows: English, German, French, Spanish and Italian. */
export const findPostalAddresses: EntityRecognizer = (text) => {
  const words = wordsIn(text);
  return words.flatMap((_word, index) =>
    RULES.flatMap((rule): TextEntity[] => {
      const found = rule(words, index);
      return found ? [{ type: 'address', from: found.from, to: withPlace(words, found.to) }] : [];
    }),
  );
};

/** The end of the address with its unit, and with its place where a code shows it: `Springfield, IL 62704`, `10115 Berlin`, `Leeds LS1 5AT`. */
function withPlace(words: readonly TextWord[], end: number): number {
  let next = words.findIndex(({ from }) => from >= end);
  if (next < 0) return end;
  let reached = end;
  const [unit, number] = [words[next], words[next + 1]];
  if (unit && number && UNITS.has(unit.bare.toLowerCase()) && /^[\p{L}\p{N}]{1,6}$/u.test(number.bare)) [reached, next] = [number.to, next + 2];
  if (words[next]?.bare === 'in') next += 1;
  const [code, city] = [words[next], words[next + 1]];
  if (code && city && /^\d{5}$/u.test(code.bare) && isCapitalized(city)) return city.to;
  for (let at = next + 1; at <= next + 3; at += 1) {
    if (!words.slice(next, at).every((word) => isCapitalized(word) && !STATES.has(word.bare))) break;
    const [first, second] = [words[at], words[at + 1]];
    if (first && STATES.has(first.bare)) return second && /^\d{5}(?:-\d{4})?$/u.test(second.bare) ? second.to : first.to;
    if (first && /^\d{5}$/u.test(first.bare)) return first.to;
    if (first && second && /^[A-Z]{1,2}\d[A-Z\d]?$/u.test(first.bare) && /^\d[A-Z]{2}$/u.test(second.bare)) return second.to;
  }
  return reached;
}
