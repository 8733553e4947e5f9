import { AppError } from '@parlance/platform';

/** Seconds; a document of an hour takes about one. */
const RETRY_AFTER = 10;

/** The error of a request for a document while other requests take all threads or all space. */
export const busy = (why: string): AppError =>
  new AppError({ kind: 'unavailable', code: 'service_unavailable', message: `${why} Try again.`, retryAfter: RETRY_AFTER });
