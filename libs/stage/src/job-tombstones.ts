import type { NewEvent } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { isUnanswered, type ErasureMark } from './erasure-mark.js';
import type { JobRef } from './stage.js';

/** Takes the place of a deleted job, whose id it has. */
interface Tombstone extends Document, ErasureMark {}

/** The deleted jobs of a service that has no stages, and therefore no record of jobs. Each change is one commit with its event. */
export class JobTombstones {
  private readonly tombstones: DocumentCollection<Tombstone>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    this.tombstones = documents.collection<Tombstone>({
      name: 'job_erasures',
      data: { what: 'ids of deleted jobs', purpose: 'to keep late events from bringing a deleted job back', kept: 'no end' },
      indexes: [],
    });
  }

  async get(jobId: string): Promise<Tombstone | undefined> {
    return (await this.tombstones.get(jobId))?.document;
  }

  /** True for a deleted job: nothing may be stored about it any more. */
  async isErased(jobId: string): Promise<boolean> {
    return (await this.get(jobId)) !== undefined;
  }

  /** @param count of what there is to erase, kept from the first time */
  async bury({ jobId }: JobRef, count: number): Promise<void> {
    const createdAt = this.clock.now().toISOString();
    await this.tombstones.update(jobId, (current) => (current ? undefined : { document: { id: jobId, createdAt, count, reported: false } }));
  }

  /** Reports once for each `job.deleted` that ingest publishes. @param events gets the count */
  async reportErasure({ jobId }: JobRef, askedAt: string, events: (count: number) => NewEvent[]): Promise<void> {
    await this.tombstones.update(jobId, (current) => {
      if (!current || !isUnanswered(current, askedAt)) return undefined;
      return { document: { ...current, reported: true, askedAt }, events: events(current.count) };
    });
  }
}
