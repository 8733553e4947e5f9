import type { EventData } from '@parlance/contracts';
import type { CollectionDefinition, Document } from '@parlance/storage';

/** One run of a job that was billed: a line of the ledger. Numbers and ids only; it outlives the job. */
export interface UsageEntry extends Document {
  accountId: string;
  jobId: string;
  run: number;
  /** The id of the key that created the job. */
  keyId?: string;
  /** The project of the job. */
  projectId?: string;
  operation: string;
  /** Milliseconds of audio. */
  milliseconds: number;
  /** In UTC, `2026-03-02`. */
  day: string;
  /** True when the sums contain it. */
  counted: boolean;
}

export const usageEntryCollection: CollectionDefinition<UsageEntry> = {
  name: 'usage_entries',
  data: { what: 'length of each recording, with job, key, project and day', purpose: 'billing', kept: 'no end' },
  indexes: [{ fields: [] }, { fields: ['accountId'] }, { fields: ['jobId'] }],
};

export function usageEntryOf({ usageId: id, accountId, jobId, run, keyId, projectId, operation, milliseconds, day, occurredAt }: EventData<'usage.recorded'>): UsageEntry {
  const createdAt = (occurredAt ?? new Date(day)).toISOString();
  return { id, createdAt, accountId, jobId, run, ...(keyId !== undefined && { keyId }), ...(projectId !== undefined && { projectId }), operation, milliseconds, day, counted: false };
}
