import { LAST_NAMES, LONG_NAMES, NAMES } from './english-names.js';
import { capitalized, keyOf } from './word-parts.js';

const TITLES = new Set(['mr', 'mrs', 'ms', 'dr']);
const ACRONYMS = new Set(['tv', 'usa', 'uk', 'eu', 'nato', 'nasa', 'bbc', 'cnn', 'fbi', 'cia', 'dna', 'ceo', 'ibm', 'nyc', 'ussr']);
const I = new Set(['i', "i'm", "i've", "i'll", "i'd"]);
/** Months that are also verbs: names only beside words that a date has. */
const VERB_MONTHS = new Set(['march', 'may']);
const BEFORE_MONTH = new Set(['in', 'of', 'last', 'next', 'since', 'until', 'early', 'late']);
const ORDINAL = /(?:st|nd|rd|th|first|second|third)$/;
/** Words of long names that stay small, as in Isle of Man. */
const SMALL = new Set(['and', 'of', 'de', 'da', 'do', 'au', 'en', 'es']);

const longNamesByFirst = Map.groupBy([...LONG_NAMES].map((name) => name.split('_')).toSorted((one, other) => other.length - one.length), ([first]) => first);

/** The words of a sentence with capitals for `I`, titles, acronyms and the names of a list. Other words stay as they are. */
export function withNames(texts: readonly string[]): string[] {
  const keys = texts.map((text) => keyOf(text).replace(/['’]s$/, ''));
  const long = longNames(keys);
  return texts.map((text, index) => (long.has(index) || isName(keys, index) ? capitalized(text) : withAcronym(text, keys[index] ?? '')));
}

/** A single letter with its point is an initial, as in U. S. */
const withAcronym = (text: string, key: string): string => (ACRONYMS.has(key) || /^\p{Ll}\.$/u.test(text) ? text.replace(key, key.toUpperCase()) : text);

/** The positions of capitals in names of several words. */
function longNames(keys: readonly string[]): Set<number> {
  const positions = new Set<number>();
  for (const [index, key] of keys.entries()) {
    const name = longNamesByFirst.get(key)?.find((words) => words.every((word, offset) => keys[index + offset] === word));
    for (const [offset, word] of (name ?? []).entries()) if (offset === 0 || !SMALL.has(word)) positions.add(index + offset);
  }
  return positions;
}

function isName(keys: readonly string[], index: number): boolean {
  const [before = '', key = '', after = ''] = [keys[index - 1], keys[index], keys[index + 1]];
  if (I.has(key) || TITLES.has(key) || NAMES.has(key)) return true;
  if (VERB_MONTHS.has(key)) return BEFORE_MONTH.has(before) || ORDINAL.test(before) || ORDINAL.test(after);
  return TITLES.has(before) || (LAST_NAMES.has(key) && (NAMES.has(before) || before === 'professor' || before === 'doctor'));
}
