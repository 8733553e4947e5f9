import type { CallContext } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';

/** W3C Trace Context, version 00. */
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** What goes along with calls to the other services on behalf of a request. */
export function callContext({ id, headers }: FastifyRequest): CallContext {
  const { traceparent } = headers;
  return { requestId: id, ...(typeof traceparent === 'string' && TRACEPARENT.test(traceparent) && { traceparent }) };
}
