import { common, type NewEvent } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { deleteJob, erasureIdOf } from '../state/delete-job.js';
import { isDeleted, jobCollection, type Job, type JobDocument } from '../state/job.js';
import { erasureCollection, type Erasure } from './erasure.js';
import { ErasureStore } from './erasure-store.js';
import { accountErasureCollection, type AccountErasure } from '../../accounts/account-erasure.js';
import type { Erased, ErasedJob } from './erased.js';

/** The erasures of jobs, for operators: every one that is stored, and erasing again what a backup brought back. */
export class JobErasureLog {
  private readonly jobs: DocumentCollection<JobDocument>;
  private readonly erasures: DocumentCollection<Erasure>;
  private readonly accounts: DocumentCollection<AccountErasure>;
  private readonly receipts: ErasureStore;

  /** @param documents those of ingest */
  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    this.jobs = documents.collection(jobCollection);
    this.erasures = documents.collection(erasureCollection);
    this.accounts = documents.collection(accountErasureCollection);
    this.receipts = new ErasureStore(documents, clock);
  }

  /** The erasures of jobs, then those of accounts. */
  async *everything(): AsyncGenerator<Erased> {
    yield* this.list();
    for await (const { document } of this.accounts.all({ direction: 'ascending' })) {
      const { id: accountErasureId, accountId, completedAt } = document;
      if (completedAt !== undefined) yield { accountErasureId, accountId, erasedAt: completedAt };
    }
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
      const deletion = deleteJob(withContent(job), this.clock.now().toISOString());
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

/**
 * The job with empty content where its own is sealed: an operator's process may have no keys, and of a job that is erased only the
 * bill depends on its content. That is of the chunks that are done.
 */
function withContent(job: Job): Job {
  const media = common.Media.fromPartial({ duration: (job.chunks.milliseconds ?? 0) / 1000 });
  const empty: Partial<Job> = { source: { kind: 'upload', mediaKey: '', sizeBytes: 0, sha256: '' }, options: common.JobOptions.fromPartial({}), warnings: [], media };
  return { ...empty, ...job };
}
