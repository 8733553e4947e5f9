import { separator } from '../segments/join-words.js';
import type { MergedWord } from '../merge/merge-chunks.js';

/** Words of a text that must not be read. */
export interface Redacted {
  policy: string;
  /** The finder of these words; absent: rules. */
  method?: 'model';
  /** UTF-16 units. */
  from: number;
  to: number;
  /** Equal for equal things. */
  value: string;
}

/** Finds the words to redact, and says what stands for them. */
export interface Redaction {
  /** @param language BCP 47; undefined where none was detected. @returns the places in order, without overlaps */
  find(text: string, language: string | undefined): Promise<readonly Redacted[]>;
  /** Gives the word that stands for all words of a place; undefined: each of its letters and digits is an asterisk. */
  label(place: Redacted): string | undefined;
}

/** Words that are looked at together. */
const WINDOW = 400;
/** Words at the end of a window that are looked at again with those behind them: more than the longest number that is spoken digit by digit. */
const HELD = 60;
/** Words before a window that are looked at again, because they may say what a number is. */
const CONTEXT = 20;

/**
 * The words without those that are redacted. A label is one word, from the beginning of the first to the end of the last word
 * it stands for. A `raw` is kept only where it has the letters of a word that is not redacted: others may have redacted words. Holds one window of words.
 */
export async function* redactWords<W extends MergedWord>(words: AsyncIterable<W>, redaction: Redaction): AsyncGenerator<W> {
  let context: W[] = [];
  let window: W[] = [];
  for await (const word of words) {
    window.push(word);
    if (window.length < WINDOW) continue;
    const places = await placesIn(context, window, redaction);
    const end = endBefore(places, window.length - HELD);
    yield* written(window, places, end, redaction);
    context = [...context, ...window.slice(0, end)].slice(-CONTEXT);
    window = window.slice(end);
  }
  yield* written(window, await placesIn(context, window, redaction), window.length, redaction);
}

/** The words of a window that a place covers, by their indexes, and the part of their text. */
interface Covered {
  first: number;
  last: number;
  place: Redacted;
  /** The beginnings of the texts of the words, in the text that was looked at. */
  starts: readonly number[];
}

async function placesIn<W extends MergedWord>(context: readonly W[], window: readonly W[], redaction: Redaction): Promise<Covered[]> {
  const { text, starts: all } = textOf([...context, ...window]);
  const starts = all.slice(context.length);
  const found: Covered[] = [];
  for (const language of new Set(window.map((word) => word.language))) {
    for (const place of await redaction.find(text, language)) {
      const first = window.findIndex((word, index) => (starts[index] ?? 0) + word.text.length > place.from);
      const last = starts.findLastIndex((from) => from < place.to);
      if (first >= 0 && window.slice(first, last + 1).some((word) => word.language === language)) found.push({ first, last, place, starts });
    }
  }
  return united(found.toSorted((one, other) => one.place.from - other.place.from));
}

/** Places that share a word become one. */
function united(found: readonly Covered[]): Covered[] {
  const covered: Covered[] = [];
  for (const each of found) {
    const before = covered.at(-1);
    if (before && each.first <= before.last) covered[covered.length - 1] = { ...before, last: Math.max(before.last, each.last), place: { ...before.place, to: Math.max(before.place.to, each.place.to) } };
    else covered.push(each);
  }
  return covered;
}

function textOf(words: readonly MergedWord[]): { text: string; starts: number[] } {
  const starts: number[] = [];
  let text = '';
  let previous: string | undefined;
  for (const word of words) {
    if (previous !== undefined) text += separator(previous, word.text);
    starts.push(text.length);
    text += word.text;
    previous = word.text;
  }
  return { text, starts };
}

/** The index, or that of the first word of a place that reaches over it, so that the place is read whole in the next window. */
function endBefore(covered: readonly Covered[], end: number): number {
  const over = covered.find(({ first, last }) => first < end && last >= end);
  return over && over.first > 0 ? over.first : end;
}

/** The words of a window before an index. */
function* written<W extends MergedWord>(window: readonly W[], covered: readonly Covered[], end: number, redaction: Redaction): Generator<W> {
  let next = 0;
  for (const { first, last, place, starts } of covered) {
    if (first >= end) break;
    yield* window.slice(next, first).map(withOwnRaw);
    next = Math.min(last + 1, end);
    yield* redactedWords(window.slice(first, next), starts.slice(first, next), place, redaction.label(place));
  }
  yield* window.slice(next, end).map(withOwnRaw);
}

function withOwnRaw<W extends MergedWord>(word: W): W {
  return word.raw === undefined || lettersOf(word.raw) === lettersOf(word.text) ? word : withoutRaw(word);
}

const lettersOf = (text: string): string => text.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '').toLowerCase();

function redactedWords<W extends MergedWord>(words: readonly W[], starts: readonly number[], place: Redacted, label: string | undefined): W[] {
  const parts = words.map(({ text }, index) => {
    const start = starts[index] ?? 0;
    const [from, to] = [Math.max(0, place.from - start), Math.max(0, place.to - start)];
    return { before: text.slice(0, from), said: text.slice(from, to), after: text.slice(to) };
  });
  if (label === undefined) return words.map((word, index) => hidden(word, `${parts[index]?.before}${masked(parts[index]?.said ?? '')}${parts[index]?.after}`, place));
  const [first, last] = [words.at(0), words.at(-1)];
  if (!first || !last) return [];
  const confidences = words.flatMap(({ confidence }) => confidence ?? []);
  return [{ ...hidden(first, `${parts[0]?.before}${label}${parts.at(-1)?.after}`, place), end: last.end, ...(confidences.length > 0 && { confidence: Math.min(...confidences) }) }];
}

function hidden<W extends MergedWord>(word: W, text: string, { policy, method }: Redacted): W {
  return { ...withoutRaw(word), text, redacted: policy, redactedBy: method ?? 'rules' };
}

function withoutRaw<W extends MergedWord>(word: W): W {
  const { raw: _, ...rest } = word;
  return rest as W;
}

const masked = (text: string): string => text.replaceAll(/[\p{L}\p{M}\p{N}]/gu, '*');
