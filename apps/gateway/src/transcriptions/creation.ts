import { common, type ingest } from '@parlance/contracts';
import { callUnary, toAppError, type CallContext, type IdGenerator } from '@parlance/platform';
import type { Claim, Idempotency } from '../idempotency/idempotency.js';
import { fingerprint } from '../idempotency/fingerprint.js';
import { jobLimits, type AccountPlans } from '../plans/index.js';
import type { Quota } from '../usage/quota.js';
import type { UploadOwner } from '../uploads/upload-leases.js';
import type { UploadStore } from '../uploads/upload-store.js';
import type { JobMaker } from './job-maker.js';
import { jobOptions } from './job-options.js';
import type { NewTranscription, UploadOptions } from './job-options-schema.js';
import type { AcceptedJob } from './job-schema.js';

export interface CreationAnswer {
  accepted: AcceptedJob;
  replayed: boolean;
}

export interface CreationRequest {
  accountId: string;
  /** Of the API key. */
  keyId: string;
  idempotencyKey: string | undefined;
  call: CallContext;
}

type Source = NonNullable<ingest.CreateJobRequest['source']>;

export interface NewJob {
  source: Source;
  options: UploadOptions;
}

/** Makes jobs; under an Idempotency-Key each once. */
export class Creation {
  constructor(
    private readonly jobs: ingest.JobServiceClient,
    private readonly maker: JobMaker,
    private readonly idempotency: Idempotency,
    private readonly uploads: UploadStore,
    private readonly ids: IdGenerator,
    private readonly quota: Quota,
    private readonly plans: Pick<AccountPlans, 'of'>,
  ) {}

  /** Before a file is taken that may be gigabytes. Whether there is still room is asked once more with its job. @throws AppError quota_exhausted, too_many_jobs */
  async admitUpload({ accountId, call }: CreationRequest): Promise<void> {
    await this.quota.require(accountId);
    try {
      await callUnary(this.jobs, this.jobs.requireRoom, { accountId, limits: await this.limitsOf(accountId) }, call);
    } catch (error) {
      // An ingest of the version before, during an upgrade, knows the question with the job only.
      if (toAppError(error).kind !== 'internal') throw error;
    }
  }

  /** A failed job was not billed: it is as a new one. Add-ons of a completed one use no seconds. @throws AppError quota_exhausted, and what ingest refuses it with */
  async retry(accountId: string, jobId: string, call: CallContext): Promise<ingest.Job | undefined> {
    const { job } = await callUnary(this.jobs, this.jobs.getJob, { accountId, jobId }, call);
    if (job?.status === common.JobStatus.JOB_STATUS_FAILED) await this.quota.require(accountId);
    return (await callUnary(this.jobs, this.jobs.retryJob, { accountId, jobId, limits: (await this.limitsOf(accountId)) ?? {} }, call)).job;
  }

  /** @param rawBody as it came: what the Idempotency-Key stands for. */
  async byUrl(request: CreationRequest, body: NewTranscription, rawBody: unknown): Promise<CreationAnswer> {
    const job: NewJob = { source: { $case: 'audioUrl', value: body.audio_url }, options: body };
    const { accountId, idempotencyKey: key } = request;
    if (key === undefined) {
      await this.quota.require(accountId);
      return fresh(await this.create(request, this.ids.next('job'), job));
    }
    const begun = await this.idempotency.begin(accountId, key, fingerprint({ json: rawBody }));
    if (begun.kind === 'replay') return { accepted: begun.response, replayed: true };
    const { claim } = begun;
    const work = async () => {
      // What an earlier try may have made has been admitted.
      if (!claim.takenOver) await this.quota.require(accountId);
      return this.create(request, claim.jobId, job);
    };
    return fresh(await this.finish(claim, work));
  }

  /** The file lies in the media store already. */
  async byUpload(request: CreationRequest, owner: UploadOwner, job: NewJob): Promise<AcceptedJob> {
    await this.uploads.hold(owner);
    const accepted = await this.create(request, owner.jobId, job);
    await this.uploads.handOver(owner);
    return accepted;
  }

  /** A form that named an address instead of bringing a file. */
  withoutFile(request: CreationRequest, jobId: string, job: NewJob): Promise<AcceptedJob> {
    return this.create(request, jobId, job);
  }

  /** Does the claimed work and settles the claim by how it ends. */
  async finish(claim: Claim, work: () => Promise<AcceptedJob>): Promise<AcceptedJob> {
    let accepted: AcceptedJob;
    try {
      accepted = await work();
    } catch (error) {
      // An earlier try may have made the job: its key must not become free.
      const mayBeMade = isUncertain(error) || claim.takenOver;
      await (mayBeMade ? this.idempotency.suspend(claim) : this.idempotency.release(claim)).catch(() => undefined);
      throw error;
    }
    await this.idempotency.settle(claim, accepted);
    return accepted;
  }

  /** The job that an earlier try under the same id has made. */
  async made(accountId: string, jobId: string, call: CallContext): Promise<AcceptedJob | undefined> {
    try {
      const { job } = await callUnary(this.jobs, this.jobs.getJob, { accountId, jobId }, call);
      return job && acceptedJob(job);
    } catch (error) {
      if (toAppError(error).kind === 'not_found') return undefined;
      throw error;
    }
  }

  private async create({ accountId, keyId, call }: CreationRequest, jobId: string, { source, options }: NewJob): Promise<AcceptedJob> {
    const request = { jobId, accountId, source, callbackUrl: options.callback_url, keyId, options: jobOptions(options), limits: await this.limitsOf(accountId) };
    return acceptedJob(await this.maker.make(request, call));
  }

  private async limitsOf(accountId: string): Promise<ingest.JobLimits | undefined> {
    return jobLimits((await this.plans.of(accountId)).limits);
  }
}

const fresh = (accepted: AcceptedJob): CreationAnswer => ({ accepted, replayed: false });

/** Whether the job may have been made although the call failed. */
export const isUncertain = (error: unknown): boolean => ['unavailable', 'timeout', 'canceled', 'internal'].includes(toAppError(error).kind);

function acceptedJob({ jobId, createdAt }: ingest.CreatedJob): AcceptedJob {
  const self = `/api/v1/transcriptions/${jobId}`;
  const links = { self, events: `${self}/events`, transcript: `${self}/transcript` };
  return { job_id: jobId, status: 'queued', created_at: createdAt?.toISOString() ?? '', links };
}
