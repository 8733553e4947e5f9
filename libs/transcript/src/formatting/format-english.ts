import type { MergedWord } from '../merge/merge-chunks.js';
import { endsSentence } from '../segments/sentence-end.js';
import { withNames } from './english-casing.js';
import { isQuestion, isSentenceEnd } from './english-sentences.js';
import { rewritten } from './raw-words.js';
import { capitalized, smallLetters } from './word-parts.js';

/** Words that are held at most; a longer run without a pause stays one sentence, without its end. */
const MAX_HELD = 200;

const PUNCTUATED = /[\p{P}]$/u;

/**
 * English words of an engine that writes neither punctuation nor capitals, as sentences. A sentence ends at a pause, or before words
 * that begin a question; `I` and the names of a list get capitals. Words, their number and their times stay.
 * Words of other languages pass unchanged. Holds one sentence.
 * @param isEnglish whether the rules apply to a word
 */
export async function* formatEnglish<W extends MergedWord>(words: AsyncIterable<W> | Iterable<W>, isEnglish: (word: W) => boolean): AsyncGenerator<W> {
  let held: W[] = [];
  let begins = true;
  let previous: W | undefined;
  function* flush(ends: boolean): Generator<W> {
    if (held.length > 0) yield* sentence(held, { begins, ends });
    if (held.length > 0) begins = ends;
    held = [];
  }
  async function* take(word: W, next: W | undefined): AsyncGenerator<W> {
    if (!isEnglish(word)) {
      yield* flush(true);
      yield word;
      return;
    }
    const last = held.at(-1);
    if (last && (last.language !== word.language || last.speakerId !== word.speakerId || isSentenceEnd(held, word, next?.text))) yield* flush(true);
    if (held.length === MAX_HELD) yield* flush(false);
    held.push(word);
  }
  for await (const word of words) {
    if (previous) yield* take(previous, word);
    previous = word;
  }
  if (previous) yield* take(previous, undefined);
  yield* flush(true);
}

function sentence<W extends MergedWord>(words: readonly W[], { begins, ends }: { begins: boolean; ends: boolean }): W[] {
  const texts = withNames(smallLetters(words.map(({ text }) => text)));
  if (begins && texts[0] !== undefined) texts[0] = capitalized(texts[0]);
  const last = texts.at(-1);
  if (ends && last !== undefined && !endsSentence(last, undefined) && !PUNCTUATED.test(last)) texts[texts.length - 1] = last + (isQuestion(texts) ? '?' : '.');
  return words.map((word, index) => rewritten(word, texts[index] ?? word.text));
}
