import { toAppError, type Clock } from '@parlance/platform';
import type { Document, DocumentCollection, Stored } from '@parlance/storage';

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
  const range = { field: 'expiresAt', lt: clock.now().toISOString() };
  for (;;) {
    const { items } = await collection.find({ range, orderBy: 'expiresAt', direction: 'ascending', limit: batch });
    for (const item of items) await removeUnchanged(collection, item);
    if (items.length < batch) return;
  }
}
