import type { Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';

/** An upload on its way, whose job is not made yet; it has the job's id. */
interface UploadLease extends Document {
  accountId: string;
  /** Until then its process is alive. */
  leaseUntil: string;
}

export interface AbandonedUpload {
  jobId: string;
  accountId: string;
}

const LEASE_MS = 60_000;
export const RENEW_EVERY_MS = 15_000;

/** Remembers uploads that are not a job's yet, so that what a killed process left in the media store is found and removed. */
export class UploadLeases {
  private readonly collection: DocumentCollection<UploadLease>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    this.collection = documents.collection<UploadLease>({ name: 'upload_leases', indexes: [{ fields: [], orderBy: 'leaseUntil' }] });
  }

  async take(accountId: string, jobId: string): Promise<void> {
    const createdAt = this.clock.now().toISOString();
    await this.collection.update(jobId, () => ({ document: { id: jobId, createdAt, accountId, leaseUntil: this.end() } }));
  }

  /** @returns false when it was given up for dead and removed. */
  async renew(jobId: string): Promise<boolean> {
    const { stored } = await this.collection.update(jobId, (lease) => lease && { document: { ...lease, leaseUntil: this.end() } });
    return stored !== undefined;
  }

  async release(jobId: string): Promise<void> {
    await this.collection.remove(jobId);
  }

  async abandoned(): Promise<AbandonedUpload[]> {
    const now = this.clock.now().toISOString();
    const { items } = await this.collection.find({ range: { field: 'leaseUntil', lt: now }, orderBy: 'leaseUntil', direction: 'ascending', limit: 100 });
    return items.map(({ document }) => ({ jobId: document.id, accountId: document.accountId }));
  }

  private end(): string {
    return new Date(this.clock.now().getTime() + LEASE_MS).toISOString();
  }
}
