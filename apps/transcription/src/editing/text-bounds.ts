import { AppError } from '@parlance/platform';
import type { Segment } from '@parlance/transcript';

/** UTF-16 units of text that a segment can be given, as in an edit. */
const MAX_SEGMENT_LENGTH = 5000;

/** UTF-16 units of text on a page: it is stored in one document, which MongoDB limits to 16 MB. */
const MAX_PAGE_LENGTH = 100_000;

/**
 * Words of a page that an edit may make, whatever was recognized. In a script without spaces each character may be one, and a word takes
 * a hundred bytes.
 */
const MAX_PAGE_WORDS = 5000;
/** The words that a page may have, as a multiple of those that were recognized. */
const MAX_GROWTH = 1.5;

export const wordCount = (segments: readonly Segment[]): number => segments.reduce((sum, segment) => sum + segment.words.length, 0);

/** A page that is over the limit may become shorter. @param recognized the words of the page as they were recognized @throws AppError invalid */
export async function requireRoomForWords(before: number, after: number, recognized: () => Promise<number>): Promise<void> {
  if (after > Math.max(before, MAX_PAGE_WORDS) && after > MAX_GROWTH * (await recognized())) throw tooMuch('words');
}

export const textLength = (segments: readonly Segment[]): number => segments.reduce((sum, { text }) => sum + text.length, 0);

/** A page that is over the limit may become shorter. @throws AppError invalid */
export function requireRoomOnPage(before: number, after: number): void {
  if (after > Math.max(before, MAX_PAGE_LENGTH)) throw tooMuch('text');
}

const tooMuch = (what: 'text' | 'words') => new AppError({ code: 'invalid_request', message: `This part of the transcript would have too ${what === 'text' ? 'much text' : 'many words'}.` });

/** A segment that is over the limit, as a merge of several, may become shorter. @throws AppError invalid, with the field `replace` */
export function requireRoomInSegment(before: number, after: number): void {
  if (after <= Math.max(before, MAX_SEGMENT_LENGTH)) return;
  const detail = `A segment would have ${after} characters, more than ${MAX_SEGMENT_LENGTH}.`;
  throw new AppError({ code: 'invalid_request', message: `/replace: ${detail}`, fields: [{ pointer: '/replace', code: 'too_long', detail }] });
}
