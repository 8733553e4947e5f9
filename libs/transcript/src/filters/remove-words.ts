import { joinedRaw, rawOf, rewritten } from '../formatting/raw-words.js';
import { capitalized, partsOf } from '../formatting/word-parts.js';
import type { Word } from '../transcript.js';

const END_MARK = /[.?!…]+/u;
const BEGINS_UPPER_CASE = /^\P{L}*\p{Lu}/u;

/**
 * The words without some of them. The next word has the raw text of those removed before it, the last one of those at the end; only
 * when no word is left is it lost. The end of a sentence goes to the word before, its capital to the word behind. Holds one word.
 */
export async function* removeWords<W extends Word>(words: AsyncIterable<W> | Iterable<W>, isRemoved: (word: W) => boolean): AsyncGenerator<W> {
  let last: W | undefined;
  let removed: W[] = [];
  for await (const word of words) {
    if (isRemoved(word)) {
      last = last && withEndOf(last, word);
      removed.push(word);
      continue;
    }
    if (last) yield last;
    last = behind(removed, word);
    removed = [];
  }
  if (last) yield removed.length === 0 ? last : { ...last, raw: joinedRaw([last, ...removed]) };
}

function behind<W extends Word>(removed: readonly W[], word: W): W {
  if (removed.length === 0) return word;
  const text = removed.some((each) => BEGINS_UPPER_CASE.test(each.text)) ? capitalized(word.text) : word.text;
  return { ...word, text, raw: joinedRaw([...removed, word]) };
}

/** The word with the full stop or question mark of a removed one behind it. */
function withEndOf<W extends Word>(word: W, removed: Word): W {
  const mark = END_MARK.exec(partsOf(removed.text).closing)?.[0];
  const { letters, closing } = partsOf(word.text);
  if (mark === undefined || letters === '' || END_MARK.test(closing) || rawOf(word) === '') return word;
  return rewritten(word, word.text.replace(/[,;:]$/u, '') + mark);
}
