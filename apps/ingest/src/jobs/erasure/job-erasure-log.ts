import type { NewEvent } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { deleteJob, erasureIdOf } from '../state/delete-job.js';
import { isDeleted, jobCollection, type JobDocument } from '../state/job.js';
import { erasureCollection, type Erasure } from './erasure.js';
import { ErasureStore } from './erasure-store.js';

/** The facts that are needed to erase a job again after a restore. They name no content. */
export interface ErasedJob {
  jobId: string;
  accountId: string;
  /** RFC 3339 UTC. */
  erasedAt: string;
}

/** The erasures of jobs, for operators: every one that is stored, and erasing again what a backup brought back. */
export class JobErasureLog {
  private readonly jobs: DocumentCollection<JobDocument>;
  private readonly erasures: DocumentCollection<Erasure>;
  private readonly receipts: ErasureStore;

  /** @param documents those of ingest */
  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    this.jobs = documents.collection(jobCollection);
    this.erasures = documents.collection(erasureCollection);
    this.receipts = new ErasureStore(documents, clock);
  }

  /** Oldest first. A receipt is opened before its job is erased: one without an erased job is not an erasure. */
  async *list(): AsyncGenerator<ErasedJob> {
    for await (const { document } of this.erasures.all({ direction: 'ascending' })) {
      const { jobId, accountId, createdAt: erasedAt } = document;
      if (await this.isErased(jobId)) yield { jobId, accountId, erasedAt };
    }
  }

  /** @returns its job.deleted, which is in the outbox as well; undefined when there is no such job any more */
  async eraseAgain({ jobId, accountId }: ErasedJob): Promise<NewEvent | undefined> {
    const found = (await this.jobs.get(jobId))?.document;
    if (!found || isDeleted(found)) return undefined;
    await this.receipts.open(erasureIdOf(jobId), { id: jobId, accountId });
    let event: NewEvent | undefined;
    await this.jobs.update(jobId, (job) => {
      if (!job || isDeleted(job)) return undefined;
      const deletion = deleteJob(job, this.clock.now().toISOString());
      event = deletion.events.find(({ type }) => type === 'job.deleted');
      return deletion;
    });
    return event;
  }

  private async isErased(jobId: string): Promise<boolean> {
    const found = (await this.jobs.get(jobId))?.document;
    return found !== undefined && isDeleted(found);
  }
}
