import type { oas31 } from 'zod-openapi';
import { RATE_LIMIT_HEADERS } from '../limits/rate-limit-headers.js';

const described = (headers: Readonly<Record<string, string>>): oas31.HeadersObject =>
  Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' as const } }]));

/** The header that every answer has. It is described with the problems, of which it is reported, and for all answers in the introduction. */
export const REQUEST_ID_HEADER = described({ 'X-Request-Id': 'The id of this request: the caller’s own when it sent a valid one, else a new one.' });

/** The headers of an answer by name. @param isLimited whether the limits of the key are sent with it */
export const responseHeaders = (own: Readonly<Record<string, string>> = {}, isLimited = false): oas31.HeadersObject => described({ ...own, ...(isLimited && RATE_LIMIT_HEADERS) });
