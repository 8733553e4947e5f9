import type { IncomingMessage } from 'node:http';
import type { IdGenerator } from '@parlance/platform';

const SANE = /^[A-Za-z0-9._~:+=@-]{1,128}$/;

/** The caller's own X-Request-Id when it can stand in headers and logs, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>, ids: IdGenerator): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : ids.next('req');
}
