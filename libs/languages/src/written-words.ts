/** Scripts written without spaces between words, as in a character class. Korean has them. */
export const SPACELESS_CLASS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30FC`;

const HAS_SPACELESS = new RegExp(`[${SPACELESS_CLASS}]`, 'u');
const HAS_LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const ONLY_OPENING = /^[\p{Ps}\p{Pi}¿¡]+$/u;
/** Kana and marks that Japanese never begins a line with (JIS X 4051). */
const NEVER_FIRST = /^[ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮー々ゝゞヽヾ]/u;

const segmenters = new Map<string, Intl.Segmenter>();

/** True when a text has letters of a script without spaces. */
export const hasSpaceless = (text: string): boolean => HAS_SPACELESS.test(text);

/**
 * A text without spaces, of a script that has none, as its words (by ICU's dictionaries), with punctuation at the word that
 * it belongs to: joined, they are the text. Thai is never broken within a word, Japanese never before a small kana.
 */
export function splitSpaceless(text: string, language = 'und'): string[] {
  const words: string[] = [];
  let opening = '';
  for (const { segment } of segmenterOf(language).segment(text)) {
    if (ONLY_OPENING.test(segment)) opening += segment;
    else if (opening === '' && words.length > 0 && staysWithPrevious(segment)) words[words.length - 1] += segment;
    else {
      words.push(opening + segment);
      opening = '';
    }
  }
  if (opening !== '') words.push(opening);
  return words;
}

/** The words of a text: between spaces, and within what has none as its script is read. */
export const splitWords = (text: string, language?: string): string[] =>
  text
    .split(/\s+/u)
    .filter(Boolean)
    .flatMap((part) => (hasSpaceless(part) ? splitSpaceless(part, language) : [part]));

const staysWithPrevious = (segment: string): boolean => !HAS_LETTER_OR_DIGIT.test(segment) || NEVER_FIRST.test(segment);

function segmenterOf(language: string): Intl.Segmenter {
  let segmenter = segmenters.get(language);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity: 'word' });
    segmenters.set(language, segmenter);
  }
  return segmenter;
}
