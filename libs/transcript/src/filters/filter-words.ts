import type { WordFilters } from '../chunk-plan.js';
import { rewritten } from '../formatting/raw-words.js';
import { keyOf, partsOf } from '../formatting/word-parts.js';
import type { MergedWord } from '../merge/merge-chunks.js';
import { ENGLISH_FILLERS, ENGLISH_PROFANITY } from './filtered-words.js';
import { removeWords } from './remove-words.js';

type IsEnglish = (word: MergedWord) => boolean;

export function withoutFillers<W extends MergedWord>(words: AsyncIterable<W>, { removeFillers, fillerWords }: WordFilters, isEnglish: IsEnglish): AsyncIterable<W> {
  return removeFillers ? removeWords(words, isOneOf(ENGLISH_FILLERS, fillerWords, isEnglish)) : words;
}

export function withoutProfanity<W extends MergedWord>(words: AsyncIterable<W>, { maskProfanity, removeProfanity, profanityWords }: WordFilters, isEnglish: IsEnglish): AsyncIterable<W> {
  const isProfane = isOneOf(ENGLISH_PROFANITY, profanityWords, isEnglish);
  if (removeProfanity) return removeWords(words, isProfane);
  return maskProfanity ? masked(words, isProfane) : words;
}

function isOneOf(english: ReadonlySet<string>, own: readonly string[], isEnglish: IsEnglish): IsEnglish {
  const ownKeys = new Set(own.map(keyOf));
  return (word) => {
    const key = keyOf(word.text);
    return key !== '' && (ownKeys.has(key) || (english.has(key) && isEnglish(word)));
  };
}

async function* masked<W extends MergedWord>(words: AsyncIterable<W>, isMasked: IsEnglish): AsyncGenerator<W> {
  for await (const word of words) yield isMasked(word) ? rewritten(word, maskedText(word.text)) : word;
}

function maskedText(text: string): string {
  const { opening, letters, closing } = partsOf(text);
  const [first = '', ...rest] = letters;
  return `${opening}${first}${'*'.repeat(rest.length)}${closing}`;
}
