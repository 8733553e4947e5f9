import type { IdGenerator, IdPrefix } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';

/** The id of what a request makes: under an Idempotency-Key the same for each of its attempts, so that a repetition makes nothing twice. */
export const newIdOf = (prefix: IdPrefix, { claim }: Pick<FastifyRequest, 'claim'>, ids: IdGenerator): string => (claim ? `${prefix}_${claim.newId}` : ids.next(prefix));
