import type { Segment, Word } from '../transcript.js';

/**
 * The id of a word, unique within its transcript. A word of the recognised text has the number of its segment and its place there:
 * `12.3` is the third word of `seg_000012`. Editing a segment stores the ids of its words, so that they keep them wherever they move.
 */
export const wordIdOf = (segmentId: string, word: Pick<Word, 'wordId'>, index: number): string => word.wordId ?? `${stemOf(segmentId)}.${index + 1}`;

/** The id of the n-th word that a revision adds, in the segment where it is added. */
export const newWordId = (segmentId: string, revision: number, number: number): string => `${stemOf(segmentId)}.r${revision}.${number}`;

/** The words of a segment, each with its id. */
export const identifiedWords = ({ segmentId, words }: Pick<Segment, 'segmentId' | 'words'>): Word[] =>
  words.map((word, index) => ({ ...word, wordId: wordIdOf(segmentId, word, index) }));

const stemOf = (segmentId: string): string => segmentId.replace(/^seg_0*/, '');
