import { AppError } from '@parlance/platform';

/** The last document of a page, in terms of the order it was found in. */
interface CursorPosition {
  value: string | number;
  id: string;
}

export interface CursorOrder {
  collection: string;
  orderBy: string;
  direction: 'ascending' | 'descending';
}

/** Opaque for callers: the order the page was in, and its last document. */
export function encodeCursor({ collection, orderBy, direction }: CursorOrder, { value, id }: CursorPosition): string {
  return Buffer.from(JSON.stringify([collection, orderBy, direction, value, id])).toString('base64url');
}

/** @throws AppError invalid_cursor when it is not one, or one of another order. */
export function decodeCursor(cursor: string, { collection, orderBy, direction }: CursorOrder): CursorPosition {
  const parts = parse(cursor);
  if (!Array.isArray(parts) || parts.length !== 5) throw invalidCursor();
  const [ofCollection, ofOrder, ofDirection, value, id] = parts as unknown[];
  if (ofCollection !== collection || ofOrder !== orderBy || ofDirection !== direction) throw invalidCursor();
  if ((typeof value !== 'string' && typeof value !== 'number') || typeof id !== 'string') throw invalidCursor();
  return { value, id };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

const invalidCursor = () =>
  new AppError({ kind: 'invalid', code: 'invalid_cursor', message: 'The cursor was not returned by this list.' });
