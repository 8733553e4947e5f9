import type { IdGenerator, IdPrefix } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';

/** The id of what a request makes: under an Idempotency-Key the same for each of its attempts, so that a repetition makes nothing twice. */
export const newIdOf = (prefix: IdPrefix, request: Pick<FastifyRequest, 'claim'>, ids: IdGenerator): string => repeatedIdOf(prefix, request) ?? ids.next(prefix);

/** The same; undefined for a request without an Idempotency-Key. */
export const repeatedIdOf = (prefix: IdPrefix, { claim }: Pick<FastifyRequest, 'claim'>): string | undefined => (claim ? `${prefix}_${claim.newId}` : undefined);
