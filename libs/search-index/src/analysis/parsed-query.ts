import { stretches } from '@parlance/languages';
import { pairs } from './terms.js';

/** Terms that follow one another; of the last one only the beginning where `isPrefix`. */
export interface TermSequence {
  terms: readonly string[];
  isPrefix: boolean;
}

export interface ParsedQuery {
  /** A hit by words has one of them at least. */
  words: readonly TermSequence[];
  /** Every hit has them all. */
  phrases: readonly TermSequence[];
}

/** Maximum length of a query. Of a longer text, such as a pasted page, the beginning is searched for. */
const MAX_CHARACTERS = 2000;
const MAX_WORDS = 32;
const MAX_PHRASES = 8;

const QUOTED = /["“”„«»]([^"“”„«»]*)["“”„«»]/gu;

/** Reads a query: words, and in quotes phrases. A quotation mark without a second one is ignored. */
export function parseQuery(text: string, isPhrase = false): ParsedQuery {
  const read = text.slice(0, MAX_CHARACTERS);
  if (isPhrase) return { words: [], phrases: phrasesOf([read]) };
  const quoted = Array.from(read.matchAll(QUOTED), ([, inside]) => inside ?? '');
  return { words: wordsOf(read.replace(QUOTED, ' ')), phrases: phrasesOf(quoted) };
}

function wordsOf(text: string): TermSequence[] {
  const words = new Map<string, TermSequence>();
  for (const { characters, isSpaced } of stretches(text)) {
    const isPrefix = !isSpaced && characters.length === 1;
    for (const { term } of isSpaced || isPrefix ? characters : pairs(characters)) {
      words.set(`${term}${isPrefix ? '*' : ''}`, { terms: [term], isPrefix });
      if (words.size === MAX_WORDS) return [...words.values()];
    }
  }
  return [...words.values()];
}

const phrasesOf = (texts: readonly string[]): TermSequence[] =>
  texts
    .map(phraseOf)
    .filter(({ terms }) => terms.length > 0)
    .slice(0, MAX_PHRASES);

/** The terms as `indexTerms` would make them; the last character of a stretch that ends the phrase may be the start of a longer word. */
function phraseOf(text: string): TermSequence {
  const all = [...stretches(text)];
  const terms = all.flatMap(({ characters, isSpaced }, index) => {
    const isLast = index === all.length - 1;
    if (isSpaced || characters.length === 1) return characters;
    return isLast ? pairs(characters) : [...pairs(characters), ...characters.slice(-1)];
  });
  const last = all.at(-1);
  return { terms: terms.map(({ term }) => term).slice(0, MAX_WORDS), isPrefix: last !== undefined && !last.isSpaced && last.characters.length === 1 && terms.length <= MAX_WORDS };
}
