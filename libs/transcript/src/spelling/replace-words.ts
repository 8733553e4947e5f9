import { splitWords } from '@parlance/languages';
import { joinedRaw, rawOf } from '../formatting/raw-words.js';
import { keyOf, partsOf } from '../formatting/word-parts.js';
import { roundToMs } from '../timecodes.js';
import { endsSentence } from '../segments/sentence-end.js';
import type { Word } from '../transcript.js';

/** A spelling that takes the place of another one. Both are one or more words. */
export interface Replacement {
  from: string;
  to: string;
}

interface Rule {
  from: string[];
  to: string[];
}

/** A longer pause ends a phrase, as it ends a segment. */
const MAX_PAUSE_SECONDS = 0.8;

/**
 * The words with other spellings. Whole words are compared, whatever their case and the punctuation around them, which stays;
 * a phrase does not go over a pause or the end of a sentence.
 * Of several rules that fit, the one with the most words is taken, then the first; what was replaced is not looked at again.
 * A spelling with as many words keeps the time of each; otherwise the time from the first word to the last is distributed by
 * the length of the new words. Holds as many words as the longest rule has.
 */
export async function* replaceWords<W extends Word>(words: AsyncIterable<W> | Iterable<W>, replacements: readonly Replacement[]): AsyncGenerator<W> {
  const rules = replacements.map(ruleOf).filter(({ from, to }) => from.length > 0 && to.length > 0).toSorted((one, other) => other.from.length - one.from.length);
  const longest = rules[0]?.from.length ?? 0;
  if (longest === 0) return yield* words;
  const rulesByFirst = Map.groupBy(rules, ({ from }) => from[0] ?? '');
  const held: { word: W; key: string }[] = [];
  function* take(): Generator<W> {
    const rule = rulesByFirst.get(held[0]?.key ?? '')?.find(({ from }) => from.every((text, index) => held[index]?.key === text && !isApart(held[index - 1]?.word, held[index]?.word)));
    const taken = held.splice(0, rule?.from.length ?? 1).map(({ word }) => word);
    yield* rule ? respelled(taken, rule.to) : taken;
  }
  for await (const word of words) {
    held.push({ word, key: keyOf(word.text) });
    while (held.length >= longest) yield* take();
  }
  while (held.length > 0) yield* take();
}

/** A phrase is said in one go: not over a pause, nor over the end of a sentence. */
const isApart = (before: Word | undefined, word: Word | undefined): boolean =>
  before !== undefined && word !== undefined && (word.start - before.end > MAX_PAUSE_SECONDS || endsSentence(before.text, word.text));

const ruleOf = ({ from, to }: Replacement): Rule => ({ from: splitWords(from).map(keyOf).filter((text) => text !== ''), to: splitWords(to) });

/** Each new word has everything else, such as speaker and confidence, from the word that it stands for. Where their number differs, the first one has the engine's words. */
function respelled<W extends Word>(words: readonly W[], spelling: readonly string[]): W[] {
  const { opening } = partsOf(words[0]?.text ?? '');
  const { closing } = partsOf(words.at(-1)?.text ?? '');
  const isOneByOne = spelling.length === words.length;
  const times = isOneByOne ? words : sharedTimes(words, spelling);
  return spelling.flatMap((text, index) => {
    const [word, time] = [words[Math.min(index, words.length - 1)], times[index]];
    if (!word || !time) return [];
    const isLast = index === spelling.length - 1;
    const raw = isOneByOne ? rawOf(word) : index === 0 ? joinedRaw(words) : '';
    return [{ ...word, start: time.start, end: time.end, text: `${index === 0 ? opening : ''}${text}${isLast ? closing : ''}`, raw }];
  });
}

function sharedTimes(words: readonly Word[], spelling: readonly string[]): { start: number; end: number }[] {
  const [start, end] = [words[0]?.start ?? 0, words.at(-1)?.end ?? 0];
  const length = spelling.reduce((sum, text) => sum + text.length, 0);
  let before = 0;
  return spelling.map((text) => {
    const from = start + ((end - start) * before) / length;
    before += text.length;
    return { start: roundToMs(from), end: roundToMs(start + ((end - start) * before) / length) };
  });
}
