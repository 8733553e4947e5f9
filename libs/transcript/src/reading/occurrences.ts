import { stretches } from '@parlance/languages';
import { wordIdOf } from '../editing/word-ids.js';
import { joinWords } from '../segments/join-words.js';
import type { Segment, Word } from '../transcript.js';

/** A place of a transcript where a word or phrase is said. */
export interface Occurrence {
  /** Which of the phrases it is: its index. */
  phrase: number;
  /** Seconds. */
  start: number;
  end: number;
  speakerId?: string | undefined;
  channel?: number | undefined;
  /** The segment of its first word. */
  segmentId: string;
  wordIds: string[];
  /** Its words as the transcript has them. */
  text: string;
}

/** A term of a word; in scripts without spaces a word has several. */
interface SpokenTerm {
  term: string;
  word: Word;
  wordId: string;
  segment: Segment;
}

/** A phrase while terms are compared with it. */
interface Search {
  terms: readonly string[];
  /** The number of the first term that may belong to its next occurrence, so that occurrences do not overlap. */
  free: number;
}

/** The terms of a text, compared without case, accents and width. Spaces count for nothing in scripts that have none. */
export const termsOf = (text: string): string[] => Array.from(stretches(text), ({ characters }) => characters.map(({ term }) => term)).flat();

/**
 * Finds words and phrases, in order of where they end. A phrase may go over from one segment to the next of the same speaker and channel.
 * Segments without words have none.
 */
export async function* occurrencesOf(segments: AsyncIterable<Segment> | Iterable<Segment>, phrases: readonly string[]): AsyncGenerator<Occurrence> {
  const searches = phrases.map((phrase): Search => ({ terms: termsOf(phrase), free: 0 }));
  const byLastTerm = Map.groupBy(searches.keys(), (phrase) => searches[phrase]?.terms.at(-1));
  const longest = Math.max(...searches.map(({ terms }) => terms.length));
  let spoken: SpokenTerm[] = [];
  let number = 0;
  let last: Segment | undefined;
  for await (const segment of segments) {
    if (last && (last.speakerId !== segment.speakerId || last.channel !== segment.channel)) spoken = [];
    last = segment;
    for (const [index, word] of segment.words.entries()) {
      const wordId = wordIdOf(segment.segmentId, word, index);
      for (const term of termsOf(word.text)) {
        spoken.push({ term, word, wordId, segment });
        if (spoken.length > longest) spoken.shift();
        number++;
        for (const phrase of byLastTerm.get(term) ?? []) {
          const found = matched(searches[phrase] as Search, spoken, number);
          if (found) yield occurrence(phrase, found);
        }
      }
    }
  }
}

/** @returns the terms with which the phrase ends here; undefined when it does not */
function matched(search: Search, spoken: readonly SpokenTerm[], number: number): readonly SpokenTerm[] | undefined {
  const { terms, free } = search;
  if (number - terms.length < free || spoken.length < terms.length) return undefined;
  const found = spoken.slice(-terms.length);
  if (found.some(({ term }, index) => term !== terms[index])) return undefined;
  search.free = number;
  return found;
}

function occurrence(phrase: number, terms: readonly SpokenTerm[]): Occurrence {
  const [first, ...others] = terms.filter(({ wordId }, index) => wordId !== terms[index - 1]?.wordId);
  if (!first) throw new RangeError('An occurrence has at least one term.');
  const { speakerId, channel, segmentId } = first.segment;
  const found = [first, ...others];
  return {
    phrase,
    start: first.word.start,
    end: (others.at(-1) ?? first).word.end,
    ...(speakerId !== undefined && { speakerId }),
    ...(channel !== undefined && { channel }),
    segmentId,
    wordIds: found.map(({ wordId }) => wordId),
    text: joinWords(found.map(({ word }) => word)),
  };
}
