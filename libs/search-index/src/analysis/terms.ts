import { stretches, type Term } from '@parlance/languages';

/**
 * The terms of a text as they are indexed: words; and of a stretch without spaces each two neighbours, then the last character
 * alone, so that a query of any part of it finds it, of one character as a prefix.
 */
export function indexTerms(text: string): Term[] {
  const terms: Term[] = [];
  for (const { characters, isSpaced } of stretches(text)) terms.push(...(isSpaced ? characters : [...pairs(characters), ...characters.slice(-1)]));
  return terms;
}

/** Each two neighbours as one term. */
export const pairs = (characters: readonly Term[]): Term[] =>
  characters.slice(1).map((second, index) => {
    const first = characters[index] as Term;
    return { term: first.term + second.term, from: first.from, before: second.before };
  });
