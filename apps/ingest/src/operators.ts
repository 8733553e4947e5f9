import { notFound, type Clock } from '@parlance/platform';
import type { DocumentDatabase } from '@parlance/storage';
import { Admission } from './jobs/admission/admission.js';
import { JobStore } from './jobs/state/job-store.js';
import { ADD_ONS, isOpenStage, STAGES, type Job, type StageName } from './jobs/state/job.js';

export { isErasedAccount, type Erased, type ErasedJob } from './jobs/erasure/erased.js';
export { erasureLine, readErasureLines } from './jobs/erasure/erasure-lines.js';
export { AccountTools } from './accounts/account-tools.js';
export { AccountErasures } from './accounts/account-erasures.js';
export type { ErasedAccount } from './accounts/account-erasure.js';
export { ingestConfig } from './ingest.config.js';
export { MediaKeyRing } from './media/sealed/media-key-ring.js';
export { JobErasureLog } from './jobs/erasure/job-erasure-log.js';
export type { Job, StageName } from './jobs/state/job.js';

const PAGE = 100;
const GIVEN_UP = { code: 'internal', message: 'The job made no progress and the operator ended it.', retryable: true };

/** Lets operators fail or retry jobs that receive no reports, while the services run. Each change is an input of the job state machine. */
export class StuckJobs {
  private readonly jobs: JobStore;
  private readonly admission: Admission;

  /** @param documents those of ingest */
  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
  ) {
    this.jobs = new JobStore(documents, clock, () => {});
    this.admission = new Admission(documents, this.jobs, { JOBS_IN_FLIGHT_PER_ACCOUNT: 0 }, clock);
  }

  /** Jobs with an open stage that have not changed for this time, the longest first. */
  async list(minutes: number, limit: number): Promise<Job[]> {
    const lt = new Date(this.clock.now().getTime() - minutes * 60_000).toISOString();
    const unchanged = this.jobs.all({ where: { open: true }, range: { field: 'updatedAt', lt }, orderBy: 'updatedAt', direction: 'ascending' });
    const found: Job[] = [];
    for await (const job of unchanged) if (found.push(job) >= limit) break;
    return found;
  }

  /** Number of jobs of the account that are processing, at most a hundred. */
  async atWork(accountId: string): Promise<number> {
    return (await this.jobs.find({ where: { accountId, status: 'processing' }, limit: PAGE })).jobs.length;
  }

  /** Ends what is open of it as failed: the job, or the add-on stages of one that has its transcript. @throws AppError not_found */
  async fail(jobId: string): Promise<Job> {
    let job = await this.require(jobId);
    const { run } = job;
    if (job.stages.transcription.status !== 'completed') return this.heard(jobId, await this.jobs.apply(jobId, { type: 'stalled', run, error: GIVEN_UP }));
    for (const stage of ADD_ONS.filter((name) => isOpenStage(job.stages[name]))) {
      job = this.heard(jobId, await this.jobs.apply(jobId, { type: 'stage_finished', run, stage, status: 'failed', error: GIVEN_UP, warnings: [] }));
    }
    return job;
  }

  /**
   * Fails what is open of it and begins it again; what is done stays done. The account may be full: the caller is not made to pay
   * for a fault here with a place, but the job counts as in flight, and asks for free time as every run does.
   * @throws AppError not_found; invalid_state when nothing of it has failed
   */
  async retry(jobId: string): Promise<Job> {
    const { status, accountId } = await this.fail(jobId);
    if (status === 'failed') await this.admission.takeBeyond(accountId, jobId);
    try {
      return this.heard(jobId, await this.jobs.apply(jobId, { type: 'retry', force: true }));
    } catch (error) {
      await this.admission.settle(accountId, jobId, await this.jobs.get(jobId));
      throw error;
    }
  }

  private async require(jobId: string): Promise<Job> {
    return this.heard(jobId, await this.jobs.get(jobId));
  }

  private heard(jobId: string, job: Job | undefined): Job {
    if (!job) throw notFound(`The job ${jobId}`);
    return job;
  }
}

/** The first stage that has not ended. */
export const openStage = ({ stages }: Job): StageName | undefined => STAGES.find((name) => isOpenStage(stages[name]));
