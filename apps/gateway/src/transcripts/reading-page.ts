import type { transcription } from '@parlance/contracts';
import { decodeCursor, encodeCursor, type CursorOrder } from '@parlance/storage';

type SentenceQuery = Pick<transcription.ListSentencesRequest, 'revision' | 'from'>;
type WordQuery = Pick<transcription.FindWordsRequest, 'revision' | 'offset'>;

/** A cursor has the revision of its page, so that an edit meanwhile moves nothing, and the place where the next sentence begins. */
const sentenceOrder = (jobId: string): CursorOrder => ({ collection: `sentences of ${jobId}`, orderBy: 'revision', direction: 'ascending' });

export const sentenceCursor = (jobId: string, { revision, next }: transcription.ListSentencesResponse): string | null =>
  next ? encodeCursor(sentenceOrder(jobId), { value: revision, id: [next.segmentId, ...(next.firstWordId === undefined ? [] : [next.firstWordId])].join(' ') }) : null;

/** @throws AppError invalid_cursor when it is not one, or one of another job */
export function sentencesAfter(jobId: string, cursor: string | undefined): SentenceQuery {
  if (cursor === undefined) return { revision: undefined, from: undefined };
  const { value, id } = decodeCursor(cursor, sentenceOrder(jobId));
  const [segmentId = '', firstWordId] = id.split(' ');
  return { revision: Number(value), from: { segmentId, firstWordId } };
}

const wordOrder = (jobId: string): CursorOrder => ({ collection: `words of ${jobId}`, orderBy: 'revision', direction: 'ascending' });

/** @param next the number of occurrences on this page and those before it */
export function wordCursor(jobId: string, { revision, counts }: transcription.FindWordsResponse, next: number): string | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return next < total ? encodeCursor(wordOrder(jobId), { value: revision, id: String(next) }) : null;
}

/** @throws AppError invalid_cursor when it is not one, or one of another job */
export function wordsAfter(jobId: string, cursor: string | undefined): WordQuery {
  if (cursor === undefined) return { revision: undefined, offset: 0 };
  const { value, id } = decodeCursor(cursor, wordOrder(jobId));
  return { revision: Number(value), offset: Number(id) };
}
