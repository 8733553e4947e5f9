import type { ChunkPlan, PlannedChunk } from '../chunk-plan.js';
import { roundToMs } from '../timecodes.js';
import type { Word } from '../transcript.js';
import { withSeamCasing } from './seam-casing.js';
import { findSeam } from './seam.js';

/** The words that the engine recognized in one planned chunk; times are relative to the chunk's start. */
export interface ChunkWords {
  chunk: PlannedChunk;
  words: readonly Word[];
  /** BCP 47: the language that the engine detected in the chunk. */
  language?: string | undefined;
  /** True when a model wrote the punctuation of the words. */
  isPunctuated?: boolean | undefined;
}

/** A word of the merged transcript, with the language that was detected in its chunk. */
export interface MergedWord extends Word {
  language?: string | undefined;
  /** True when a model wrote its punctuation. */
  isPunctuated?: boolean | undefined;
}

/**
 * The words of the whole media from its chunks, which come in order. Holds two chunks at a time.
 * Times come out monotonic: starts never go back, no word reaches into the next, all within the media.
 */
export async function* mergeChunks(results: AsyncIterable<ChunkWords>, { duration }: Pick<ChunkPlan, 'duration'>): AsyncGenerator<MergedWord> {
  yield* inOrder(joinAtSeams(results), duration);
}

async function* joinAtSeams(results: AsyncIterable<ChunkWords>): AsyncGenerator<MergedWord> {
  let previous: PlannedChunk | undefined;
  let pending: MergedWord[] = [];
  for await (const { chunk, words, language, isPunctuated } of results) {
    const heard = inMediaTime(words, chunk).map((word): MergedWord => ({ ...word, ...(language !== undefined && { language }), ...(isPunctuated && { isPunctuated }) }));
    if (previous === undefined) pending = heard;
    else {
      const overlap = { start: chunk.start, end: previous.end, boundary: chunk.ownStart };
      const seam = findSeam(pending, heard, overlap);
      const kept = pending.slice(0, seam.leftEnd);
      yield* kept;
      const [first, ...rest] = heard.slice(seam.rightStart);
      const nearby = [...kept, ...rest];
      // Only a word that the engine began with is suspected of a capital that is not its own.
      pending = first ? [seam.rightStart === 0 ? { ...first, ...withSeamCasing(kept.at(-1), first, nearby) } : first, ...rest] : [];
    }
    previous = chunk;
  }
  yield* pending;
}

/** The words in the order they were spoken, at their place in the media, within the chunk's audio. */
function inMediaTime(words: readonly Word[], { start, end }: PlannedChunk): Word[] {
  const within = (time: number) => roundToMs(Math.min(Math.max(start + time, start), end));
  return words
    .filter((word) => word.text.trim() !== '')
    .map((word) => ({ ...word, start: within(word.start), end: within(Math.max(word.start, word.end)) }))
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** A word that lasts into the next one ends where that begins. */
async function* inOrder(words: AsyncIterable<MergedWord>, duration: number): AsyncGenerator<MergedWord> {
  const limit = roundToMs(duration);
  let held: MergedWord | undefined;
  for await (const word of words) {
    const start = Math.min(Math.max(word.start, held?.start ?? 0), limit);
    if (held) yield { ...held, end: Math.min(held.end, start) };
    held = { ...word, start, end: Math.min(Math.max(word.end, start), limit) };
  }
  if (held) yield held;
}
