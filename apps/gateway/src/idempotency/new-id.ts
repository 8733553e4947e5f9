import { AppError, type IdGenerator, type IdPrefix } from '@parlance/platform';
import type { Document, DocumentCollection, Stored } from '@parlance/storage';
import type { FastifyRequest } from 'fastify';

/** The id of what a request makes: under an Idempotency-Key the same for each of its attempts, so that a repetition makes nothing twice. */
export const newIdOf = (prefix: IdPrefix, request: Pick<FastifyRequest, 'claim'>, ids: IdGenerator): string => attemptOf(prefix, request)?.id ?? ids.next(prefix);

/** The same, and whether an attempt before this one may have made it; undefined for a request without an Idempotency-Key. */
export const attemptOf = (prefix: IdPrefix, { claim }: Pick<FastifyRequest, 'claim'>): Attempt | undefined => (claim ? { id: `${prefix}_${claim.newId}`, takesOver: claim.takenOver } : undefined);

/** An attempt to make something under an Idempotency-Key. */
export interface Attempt {
  /** The id of what it makes. */
  id: string;
  /** True after another attempt, which may have stored it already without its secret being returned, or may still do so: this one replaces it. */
  takesOver: boolean;
}

/** Stores what an attempt makes. One that another took over since then changes nothing. @throws AppError idempotency_in_flight */
export async function storeAttempt<T extends Document>(collection: DocumentCollection<T>, document: T, takesOver: boolean): Promise<Stored<T>> {
  const earlier = takesOver ? await collection.get(document.id) : undefined;
  const stored = await (earlier ? collection.replaceIf(document, earlier.version) : collection.insertIfAbsent(document));
  if (!stored) throw takenOver();
  return stored;
}

export const takenOver = () => new AppError({ kind: 'conflict', code: 'idempotency_in_flight', message: 'Another attempt with this Idempotency-Key has taken over.', retryable: true });
