import { toAppError, type Clock } from '@parlance/platform';
import type { Document, DocumentCollection, Query, Stored } from '@parlance/storage';

/** Removes this version of it. @returns whether it was still that: what was changed meanwhile stays. */
export async function removeUnchanged<T extends Document>(collection: DocumentCollection<T>, { document, version }: Stored<T>): Promise<boolean> {
  try {
    return await collection.remove(document.id, version);
  } catch (error) {
    if (toAppError(error).kind !== 'conflict') throw error;
    return false;
  }
}

/** Removes what is over; what was renewed meanwhile stays for the next time. */
export async function sweepExpired<T extends Document & { expiresAt: string }>(collection: DocumentCollection<T>, clock: Clock, batch: number): Promise<void> {
  while ((await removeExpired(collection, {}, clock.now(), batch)) === batch);
}

/** Removes at most so many that were over before that time, oldest first. @returns the number of those that were found */
export async function removeExpired<T extends Document & { expiresAt: string }>(collection: DocumentCollection<T>, where: NonNullable<Query['where']>, before: Date, limit: number): Promise<number> {
  const { items } = await collection.find({ where, range: { field: 'expiresAt', lt: before.toISOString() }, orderBy: 'expiresAt', direction: 'ascending', limit });
  for (const item of items) await removeUnchanged(collection, item);
  return items.length;
}
