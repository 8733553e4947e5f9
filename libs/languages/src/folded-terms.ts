/** A word as it is indexed, and where it stands in the text (UTF-16 code units). */
export interface Term {
  term: string;
  from: number;
  before: number;
}

/** True when spaces separate the words of the script that the text begins with. */
export const isSpacedScript = (text: string): boolean => !IS_UNSPACED.test(text);

/** Characters of one word or, in scripts that put no spaces between words, of a stretch of them. */
export interface Stretch {
  /** With spaces between words: one term. Without: one for each character, with the marks on it. */
  characters: Term[];
  isSpaced: boolean;
}

const MAX_TERM_LENGTH = 64;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Korean has spaces, but puts particles behind its words without one. */
const UNSPACED = String.raw`\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Hang}`;
const STRETCH = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
/** Half-width kana have their voice marks as characters of their own. */
const CHARACTER = /\P{M}[\p{M}\uFF9E\uFF9F]*|^\p{M}+/gu;

/** Accents of Latin, Greek and Cyrillic; the vowel points of Hebrew and Arabic, and the stroke that stretches a word. */
const DIACRITICS = /[\u0300-\u036F\u0591-\u05C7\u0610-\u061A\u064B-\u065F\u0670\u0640]/gu;
/** Replacements of letters that Unicode does not decompose, as they are written on keyboards without them. */
const LETTERS: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ς: 'σ' };

/** Maps spellings of a word to one form: without case, accents and width (Unicode's compatibility decomposition). */
export const fold = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(DIACRITICS, '')
    .toUpperCase()
    .toLowerCase()
    .replace(DIACRITICS, '')
    .replace(/[øłđæœς]/gu, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC');

/** Nothing of what separates terms in an index may come out of the decomposition, as "(1)" does of "⑴". */
const asTerm = (word: string): string => fold(word).replace(/[^\p{L}\p{M}\p{N}]/gu, '').slice(0, MAX_TERM_LENGTH).toWellFormed();

/** The words of a text, and its stretches of characters without spaces. */
export function* stretches(text: string): Generator<Stretch> {
  for (const word of text.matchAll(WORD)) {
    for (const { 0: part, index } of word[0].matchAll(STRETCH)) {
      const from = word.index + index;
      const isSpaced = isSpacedScript(part);
      const characters = isSpaced ? [{ term: asTerm(part), from, before: from + part.length }] : charactersOf(part, from);
      const left = characters.filter(({ term }) => term !== '');
      if (left.length > 0) yield { characters: left, isSpaced };
    }
  }
}

const charactersOf = (part: string, from: number): Term[] =>
  Array.from(part.matchAll(CHARACTER), ({ 0: character, index }) => ({ term: asTerm(character), from: from + index, before: from + index + character.length }));
