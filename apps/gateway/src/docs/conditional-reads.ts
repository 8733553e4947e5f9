import type { ZodOpenApiResponseObject } from 'zod-openapi';
import type { Operation } from '../http/operation.js';
import { responseHeaders } from './response-headers.js';
import { NAME } from './shared-parts.js';

const ETAG = { ETag: 'Changes whenever the answer does; send it back in `If-None-Match`.' };

const IF_NONE_MATCH = { 'If-None-Match': 'The `ETag` of an earlier answer: an answer that is still the same is not sent again, but 304.' };

/** True when an answer to the operation has an ETag: it is a read, and no event stream. */
const isConditional = ({ method, answers }: Operation): boolean => method === 'GET' && answers[200] !== undefined && answers[200].events === undefined;

export const conditionalHeaders = (operation: Operation): Record<string, string> => (isConditional(operation) ? IF_NONE_MATCH : {});

/** The answer to a client that has the present one already. */
export function notModified(operation: Operation): Record<string, ZodOpenApiResponseObject> {
  if (!isConditional(operation)) return {};
  return { 304: { [NAME]: 'NotModified', description: 'The answer is the one that `If-None-Match` names. The answer itself has the same header.', headers: responseHeaders(ETAG) } };
}
