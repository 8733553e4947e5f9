import type { transcription } from '@parlance/contracts';
import { decodeCursor, encodeCursor, type CursorOrder } from '@parlance/storage';

interface RevisionPage {
  page: transcription.Revision[];
  nextCursor: string | null;
}

/**
 * One page of a transcript's revisions, newest first. A cursor has the number of the last one on its page.
 * @throws AppError invalid_cursor when it is not one, or one of another job
 */
export function revisionPage(jobId: string, revisions: readonly transcription.Revision[], { limit, cursor }: { limit: number; cursor?: string | undefined }): RevisionPage {
  const order: CursorOrder = { collection: `revisions of ${jobId}`, orderBy: 'revision', direction: 'descending' };
  const before = cursor === undefined ? Infinity : Number(decodeCursor(cursor, order).value);
  const rest = revisions.filter(({ revision }) => revision < before);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { page, nextCursor: last && rest.length > page.length ? encodeCursor(order, { value: last.revision, id: String(last.revision) }) : null };
}
