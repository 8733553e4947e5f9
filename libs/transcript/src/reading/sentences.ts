import { wordIdOf } from '../editing/word-ids.js';
import { joinWords, separator } from '../segments/join-words.js';
import { endsSentence } from '../segments/sentence-end.js';
import type { Segment, Word } from '../transcript.js';

/** Seconds of silence that end a sentence, and a paragraph, whatever its text. */
const LONG_PAUSE = 2;

/** UTF-16 units within which the end of a sentence is looked for. */
const MAX_SENTENCE = 1000;

/** Consecutive words of one speaker on one channel. */
export interface Sentence {
  /** Seconds. */
  start: number;
  end: number;
  speakerId?: string | undefined;
  channel?: number | undefined;
  text: string;
  /** The segments that it has words of, in order. */
  segmentIds: string[];
  /** Absent, as `lastWordId`, where its segments have no words. */
  firstWordId?: string | undefined;
  lastWordId?: string | undefined;
}

/** The place at which a sentence begins. */
export type SentencePlace = Pick<Sentence, 'firstWordId'> & { segmentId: string };

/**
 * The sentences of a transcript. One ends behind its punctuation, at another speaker or channel, and at a long pause. Where there is no
 * punctuation before that, each segment is one, since segments end at pauses. Where a sentence ends depends on nothing before
 * it, so that reading can begin at any of them. Holds one sentence.
 */
export async function* sentencesOf(segments: AsyncIterable<Segment> | Iterable<Segment>): AsyncGenerator<Sentence> {
  let held: Sentence[] = [];
  for await (const segment of segments) {
    for (const part of partsOf(segment)) {
      const last = held.at(-1);
      if (last && (isApart(last, part) || endsSentence(lastWord(last.text), part.text))) {
        yield* ended(held);
        held = [];
      }
      held.push(part);
      while (held.length > 1 && lengthOf(held) > MAX_SENTENCE) yield held.shift() as Sentence;
    }
  }
  yield* ended(held);
}

/** The sentences from the one that begins there on, of segments that have it; none when there is no such sentence. */
export async function* sentencesFrom(segments: AsyncIterable<Segment>, { segmentId, firstWordId }: SentencePlace): AsyncGenerator<Sentence> {
  let isFound = false;
  for await (const sentence of sentencesOf(after(segments, segmentId))) {
    isFound ||= sentence.segmentIds[0] === segmentId && sentence.firstWordId === firstWordId;
    if (isFound) yield sentence;
  }
}

/** The segments from this one on. What precedes it would change how its own sentences are joined. */
async function* after(segments: AsyncIterable<Segment>, segmentId: string): AsyncGenerator<Segment> {
  let isFound = false;
  for await (const segment of segments) {
    isFound ||= segment.segmentId === segmentId;
    if (isFound) yield segment;
  }
}

/** True where reading aloud would begin anew: at another speaker or channel, and after a long pause. */
export const isApart = (last: Sentence, next: Sentence): boolean => isOtherVoice(last, next) || next.start - last.end >= LONG_PAUSE;

export const isOtherVoice = (last: Sentence, next: Sentence): boolean => next.speakerId !== last.speakerId || next.channel !== last.channel;

/** Two parts of the transcript as one. */
export function joined(first: Sentence, second: Sentence): Sentence {
  const isSameSegment = first.segmentIds.at(-1) === second.segmentIds[0];
  return {
    ...first,
    end: Math.max(first.end, second.end),
    text: first.text + separator(first.text, second.text) + second.text,
    segmentIds: [...first.segmentIds, ...second.segmentIds.slice(isSameSegment ? 1 : 0)],
    ...(second.lastWordId !== undefined && { firstWordId: first.firstWordId ?? second.firstWordId, lastWordId: second.lastWordId }),
  };
}

function* ended(parts: readonly Sentence[]): Generator<Sentence> {
  const [first, ...others] = parts;
  if (first && endsSentence(lastWord(parts.at(-1)?.text ?? ''), undefined)) yield others.reduce(joined, first);
  else yield* parts;
}

const lengthOf = (parts: readonly Sentence[]): number => parts.reduce((sum, { text }) => sum + text.length, 0);

const lastWord = (text: string): string => text.slice(text.lastIndexOf(' ') + 1);

/** A segment, cut where a sentence ends within it, as an edit or a merge may leave it. */
function partsOf(segment: Segment): Sentence[] {
  const { segmentId, start, end, speakerId, channel, text, words } = segment;
  const voice = { ...(speakerId !== undefined && { speakerId }), ...(channel !== undefined && { channel }) };
  if (words.length === 0) return text === '' ? [] : [{ start, end, ...voice, text, segmentIds: [segmentId] }];
  const cuts = words.flatMap(({ text: word }, index) => (index === words.length - 1 || endsSentence(word, words[index + 1]?.text) ? [index + 1] : []));
  const texts = textsBetween(segment, cuts);
  return cuts.map((to, part) => {
    const from = cuts[part - 1] ?? 0;
    const [first, last] = [words[from] as Word, words[to - 1] as Word];
    const ids = { firstWordId: wordIdOf(segmentId, first, from), lastWordId: wordIdOf(segmentId, last, to - 1) };
    const times = { start: from === 0 ? start : first.start, end: to === words.length ? end : last.end };
    return { ...times, ...voice, text: texts[part] ?? '', segmentIds: [segmentId], ...ids };
  });
}

/** The text of each part of a segment: verbatim, where its words stand in it one after another. */
function textsBetween({ text, words }: Segment, cuts: readonly number[]): string[] {
  if (cuts.length === 1) return [text];
  const ends = new Set(cuts);
  const texts: string[] = [];
  let [begin, at] = [0, 0];
  for (const [index, word] of words.entries()) {
    const found = text.indexOf(word.text, at);
    if (found < 0) return cuts.map((to, part) => joinWords(words.slice(cuts[part - 1] ?? 0, to)));
    at = found + word.text.length;
    if (!ends.has(index + 1)) continue;
    texts.push(text.slice(begin, at).trim());
    begin = at;
  }
  return texts;
}
