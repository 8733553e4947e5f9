import { SERVICE_NAMES } from '@parlance/runtime';
import type { CollectionDefinition, Document } from '@parlance/storage';

export interface ErasedItem {
  /** For instance "media", "transcript". */
  what: string;
  /** The service that held it. */
  where: string;
  when: string;
  /** Objects or documents; 0 when it held nothing. */
  count: number;
}

/** The receipt of a deletion, which outlives what it is about. */
export interface Erasure extends Document {
  accountId: string;
  jobId: string;
  items: ErasedItem[];
  /** Once every service has reported. */
  completedAt?: string;
}

export const erasureCollection: CollectionDefinition<Erasure> = { name: 'erasures', indexes: [] };

/** The receipt with one more report; undefined when that report was there. The first count stays: a second pass finds nothing left. */
export function report(erasure: Erasure, item: ErasedItem): Erasure | undefined {
  if (erasure.items.some(({ what, where }) => what === item.what && where === item.where)) return undefined;
  const items = [...erasure.items, item];
  const reported = new Set(items.map(({ where }) => where));
  const complete = SERVICE_NAMES.every((name) => reported.has(name));
  return { ...erasure, items, ...(complete && { completedAt: erasure.completedAt ?? item.when }) };
}
