import type { CallContext } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';

/** What goes along with calls to the other services on behalf of a request, besides its trace. */
export const callContext = ({ id }: FastifyRequest): CallContext => ({ requestId: id });
