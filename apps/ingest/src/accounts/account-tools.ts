import { notFound, type Clock } from '@parlance/platform';
import type { DocumentDatabase } from '@parlance/storage';
import { Admission } from '../jobs/admission/admission.js';
import { JobStore } from '../jobs/state/job-store.js';
import { AccountHolds } from './account-holds.js';

/** The operators' side of legal holds and of withdrawn deletions, while the services run. */
export class AccountTools {
  readonly holds: AccountHolds;
  private readonly jobs: JobStore;
  private readonly admission: Admission;

  /** @param documents those of ingest */
  constructor(documents: DocumentDatabase, clock: Clock) {
    this.holds = new AccountHolds(documents, clock);
    this.jobs = new JobStore(documents, clock, () => {});
    this.admission = new Admission(documents, this.jobs, { JOBS_IN_FLIGHT_PER_ACCOUNT: 0 }, clock);
  }

  /** The account takes new jobs again. */
  reopen(accountId: string): Promise<void> {
    return this.admission.reopen(accountId);
  }

  /** The account of a job. @throws AppError not_found */
  async accountOf(jobId: string): Promise<string> {
    const job = await this.jobs.get(jobId);
    if (!job) throw notFound(`The job ${jobId}`);
    return job.accountId;
  }

  /** @param until RFC 3339 UTC */
  async holdJob(jobId: string, reason: string, until: string | undefined): Promise<void> {
    await this.jobs.apply(jobId, { type: 'hold', hold: { reason, byOperator: true, ...(until !== undefined && { until }) } });
  }

  async releaseJob(jobId: string): Promise<void> {
    await this.jobs.apply(jobId, { type: 'lift_hold', byOperator: true });
  }
}
