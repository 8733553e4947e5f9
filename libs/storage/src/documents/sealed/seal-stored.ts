import { toAppError } from '@parlance/platform';
import type { Document, DocumentCollection, Stored } from '../document-collection.js';

/** The numbers of documents or objects that were stored in clear. */
export interface SealingCounts {
  sealed: number;
  /** They stay in clear: their key was destroyed, so that they are remains of an erasure, or they name no account. */
  skipped: number;
}

export interface SealStoredOptions {
  /** Counts, and changes nothing. */
  dryRun?: boolean;
}

/** The collection whose documents are sealed. */
interface ClearCollection {
  /** The collection without sealed fields and schema. */
  inner: DocumentCollection<Document>;
  hasClear(stored: Document): boolean;
  /** @returns undefined when it belongs to no account. @throws AppError key_destroyed */
  sealed(stored: Stored<Document>): Promise<Document | undefined>;
}

/** Documents that are read, and written in one commit, at once. */
const PAGE = 200;

/** Seals what is in clear, oldest first. Killed, it is repeated. A document that another process writes meanwhile is sealed by that write. */
export async function sealStored({ inner, hasClear, sealed }: ClearCollection, { dryRun = false }: SealStoredOptions): Promise<SealingCounts> {
  const counts: SealingCounts = { sealed: 0, skipped: 0 };
  const sealOne = async (stored: Stored<Document>): Promise<void> => {
    const document = await sealed(stored).catch(unlessDestroyed);
    if (!document) counts.skipped += 1;
    else if (dryRun || (await inner.replaceIf(document, stored.version))) counts.sealed += 1;
  };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await inner.find({ direction: 'ascending', limit: PAGE, ...(cursor !== undefined && { cursor }) });
    await Promise.all(page.items.filter(({ document }) => hasClear(document)).map(sealOne));
    cursor = page.nextCursor;
  }
  return counts;
}

export function unlessDestroyed(error: unknown): undefined {
  if (toAppError(error).code !== 'key_destroyed') throw error;
}
