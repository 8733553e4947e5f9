import type { oas31 } from 'zod-openapi';
import { RATE_LIMIT_HEADERS } from '../limits/rate-limit-headers.js';

/** The header that every answer has. */
const REQUEST_ID = { 'X-Request-Id': 'The id of this request: the caller’s own when it sent a valid one, else a new one.' };

/** The headers of an answer by name. @param isLimited whether the limits of the key are sent with it */
export const responseHeaders = (own: Readonly<Record<string, string>> = {}, isLimited = false): oas31.HeadersObject =>
  Object.fromEntries(Object.entries({ ...REQUEST_ID, ...own, ...(isLimited && RATE_LIMIT_HEADERS) }).map(([name, description]) => [name, { description, schema: { type: 'string' as const } }]));
