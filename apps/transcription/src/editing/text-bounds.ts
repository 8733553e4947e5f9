import { AppError } from '@parlance/platform';
import type { Segment } from '@parlance/transcript';

/** UTF-16 units of text that a segment can be given, as in an edit. */
const MAX_SEGMENT_LENGTH = 5000;

/** UTF-16 units of text on a page: it is stored in one document, which MongoDB limits to 16 MB. */
const MAX_PAGE_LENGTH = 100_000;

export const textLength = (segments: readonly Segment[]): number => segments.reduce((sum, { text }) => sum + text.length, 0);

/** A page that is over the limit may become shorter. @throws AppError invalid */
export function requireRoomOnPage(before: number, after: number): void {
  if (after > Math.max(before, MAX_PAGE_LENGTH)) throw new AppError({ code: 'invalid_request', message: 'This part of the transcript would have too much text.' });
}

/** A segment that is over the limit, as a merge of several, may become shorter. @throws AppError invalid, with the field `replace` */
export function requireRoomInSegment(before: number, after: number): void {
  if (after <= Math.max(before, MAX_SEGMENT_LENGTH)) return;
  const detail = `A segment would have ${after} characters, more than ${MAX_SEGMENT_LENGTH}.`;
  throw new AppError({ code: 'invalid_request', message: `/replace: ${detail}`, fields: [{ pointer: '/replace', code: 'too_long', detail }] });
}
