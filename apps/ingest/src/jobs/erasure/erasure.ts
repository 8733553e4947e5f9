import { SERVICE_NAMES } from '@parlance/runtime';
import type { CollectionDefinition, Document } from '@parlance/storage';

/** The item of the job's key, which ingest destroys before anything is removed: what it sealed cannot be read any more, nor in a backup. */
export const DATA_KEY = 'data_key';

export interface ErasedItem {
  /** For instance "media", "transcript", "data_key". */
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
  /** The project of the job. */
  projectId?: string;
  items: ErasedItem[];
  /** Once every service has reported. */
  completedAt?: string;
  /** True while a report is missing. Receipts of versions before do not have it. */
  open?: boolean;
  /** When `job.deleted` was last published again. */
  askedAt?: string;
}

export const erasureCollection: CollectionDefinition<Erasure> = {
  name: 'erasures',
  data: { what: 'receipts of erasures: ids, time, numbers of removed objects', purpose: 'to prove erasures', kept: 'no end' },
  indexes: [{ fields: ['open'] }, { fields: ['accountId'] }, { fields: ['accountId', 'projectId'] }],
};

/** A report that came neither within minutes nor after the next request waits for a service that is away. */
const ASK_AGAIN_MS = 60 * 60_000;

/** True when it is time to publish `job.deleted` again. @param quietMs how long reports may take */
export const isUnreported = ({ createdAt, askedAt }: Erasure, now: number, quietMs: number): boolean =>
  askedAt === undefined ? now - Date.parse(createdAt) >= quietMs : now - Date.parse(askedAt) >= ASK_AGAIN_MS;

/** The receipt with one more report; undefined when that report was there. The first count stays: a second pass finds nothing left. */
export function report(erasure: Erasure, item: ErasedItem): Erasure | undefined {
  if (erasure.items.some(({ what, where }) => what === item.what && where === item.where)) return undefined;
  const items = [...erasure.items, item];
  const reported = new Set(items.filter(({ what }) => what !== DATA_KEY).map(({ where }) => where));
  const complete = SERVICE_NAMES.every((name) => reported.has(name));
  return { ...erasure, items, ...(complete && { open: false, completedAt: erasure.completedAt ?? item.when }) };
}
