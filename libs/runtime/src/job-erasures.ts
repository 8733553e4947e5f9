import type { events } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import type { ServiceName } from './service-manifest.js';

/** What is left of a deleted job, whose id it has: enough that a late event does not bring anything back. */
interface JobErasure extends Document {
  /** Of what there was when the deletion was first heard of. */
  count: number;
  reported: boolean;
}

/** What a service holds of a job. */
export interface JobHoldings {
  /** As the receipt names it, for instance `webhook_payloads`. */
  what: string;
  count(jobId: string): Promise<number>;
  /** Idempotent. */
  remove(jobId: string): Promise<void>;
}

/** A service's answer to job.deleted: erase what it holds, report it once, remember the job as gone. */
export class JobErasures {
  private readonly collection: DocumentCollection<JobErasure>;

  constructor(
    private readonly service: ServiceName,
    documents: DocumentDatabase,
    private readonly holdings: JobHoldings,
    private readonly clock: Clock,
  ) {
    this.collection = documents.collection<JobErasure>({ name: 'job_erasures', indexes: [] });
  }

  /** Whether the job was deleted, so that nothing may be stored about it any more. */
  async has(jobId: string): Promise<boolean> {
    return (await this.collection.get(jobId)) !== undefined;
  }

  /** May be called again after a failure anywhere in it: the count is kept from the first time. */
  async erase({ jobId, accountId, erasureId = '' }: events.JobEvent): Promise<void> {
    const { what } = this.holdings;
    const found = await this.holdings.count(jobId);
    const createdAt = this.clock.now().toISOString();
    await this.collection.update(jobId, (current) =>
      current ? undefined : { document: { id: jobId, createdAt, count: found, reported: false } },
    );
    await this.holdings.remove(jobId);
    await this.collection.update(jobId, (current) => {
      if (!current || current.reported) return undefined;
      const { count } = current;
      const data = { erasureId, jobId, accountId, what, where: this.service, count, erasedAt: this.clock.now() };
      return { document: { ...current, reported: true }, events: [{ type: 'erasure.reported', data }] };
    });
  }
}
