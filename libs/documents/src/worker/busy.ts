import { AppError } from '@parlance/platform';

/** Seconds; a document of an hour takes about one. */
const RETRY_AFTER = 10;

/** What hears who wants a document while others take all that there is for them. */
export const busy = (why: string): AppError =>
  new AppError({ kind: 'unavailable', code: 'service_unavailable', message: `${why} Try again.`, retryAfter: RETRY_AFTER });
