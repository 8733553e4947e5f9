import type { transcripts } from '@parlance/contracts';
import { decodeCursor, encodeCursor, type CursorOrder } from '@parlance/storage';

interface SpeakerPage {
  page: transcripts.Speaker[];
  nextCursor: string | null;
}

/**
 * One page of a job's speakers. A cursor has the last of a page, and how many came after: should that one be merged into
 * another meanwhile, so many are left at most, and none of them is passed over.
 *
 * @throws AppError invalid_cursor when it is not one, or one of another job.
 */
export function speakerPage(jobId: string, speakers: readonly transcripts.Speaker[], { limit, cursor }: { limit: number; cursor?: string | undefined }): SpeakerPage {
  const order: CursorOrder = { collection: `speakers of ${jobId}`, orderBy: 'first_speaking', direction: 'ascending' };
  const start = cursor === undefined ? 0 : startAfter(speakers, decodeCursor(cursor, order));
  const page = speakers.slice(start, start + limit);
  const left = speakers.length - start - page.length;
  const last = page.at(-1);
  return { page, nextCursor: last && left > 0 ? encodeCursor(order, { value: left, id: last.speakerId }) : null };
}

function startAfter(speakers: readonly transcripts.Speaker[], { id, value }: { id: string; value: string | number }): number {
  const last = speakers.findIndex(({ speakerId }) => speakerId === id);
  return last >= 0 ? last + 1 : Math.max(0, speakers.length - Number(value));
}
