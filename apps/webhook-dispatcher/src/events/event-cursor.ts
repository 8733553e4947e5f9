import { AppError } from '@parlance/platform';

const TAG = 'events:';

/** Opaque for callers: a place in the account's order. */
export const cursorOf = (position: number): string => Buffer.from(TAG + position).toString('base64url');

/** @throws AppError invalid_cursor */
export function positionOf(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const position = text.startsWith(TAG) && /^\d{1,15}$/.test(text.slice(TAG.length)) ? Number(text.slice(TAG.length)) : undefined;
  if (position === undefined || cursorOf(position) !== cursor) throw notOurs();
  return position;
}

export const notOurs = () => new AppError({ kind: 'invalid', code: 'invalid_cursor', message: 'The cursor was not returned by this list.' });
