import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ingest, JobService } from '@parlance/contracts';
import { toAppError, type IdGenerator } from '@parlance/platform';
import { ID_GENERATOR, JOB_SERVICE } from '@parlance/runtime';
import { Idempotency, isUncertain, type Claim } from '../idempotency/idempotency.js';
import { fingerprint } from '../idempotency/fingerprint.js';
import { canRead, credentialOf, type Caller } from '../keys/authenticator.js';
import { RENEW_EVERY_MS, type UploadOwner } from '../uploads/upload-leases.js';
import { UploadStore } from '../uploads/upload-store.js';
import { Admission } from './admission.js';
import { JobMaker } from './job-maker.js';
import { JobRequests, type JobOrigin, type NewJob } from './job-requests.js';
import type { AcceptedJob } from './job-schema.js';

export interface CreationAnswer {
  accepted: AcceptedJob;
  replayed: boolean;
}

export interface CreationRequest extends JobOrigin {
  /** The id of the key or token. */
  credentialId: string;
  idempotencyKey: string | undefined;
  requestId: string;
}

/** A request of this caller. */
export const creationRequest = (caller: Caller, requestId: string, idempotencyKey?: string): CreationRequest => {
  const { accountId, keyId, projectId } = caller;
  return { accountId, keyId, projectId, credentialId: credentialOf(caller), mayRead: canRead(caller), idempotencyKey, requestId };
};

/** Makes a job under the id that its owner has; `claim` is that of an Idempotency-Key. */
type CreateUnder = (owner: UploadOwner, claim: Claim | undefined) => Promise<AcceptedJob>;

/** Makes jobs; under an Idempotency-Key each once. */
@Injectable()
export class Creation {
  constructor(
    @Inject(Admission) private readonly admission: Admission,
    @Inject(JOB_SERVICE) private readonly jobs: JobService,
    @Inject(JobMaker) private readonly maker: JobMaker,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
    @Inject(UploadStore) private readonly uploads: UploadStore,
    @Inject(JobRequests) private readonly requests: JobRequests,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {}

  /** @param rawBody as it came: what the Idempotency-Key stands for. */
  byUrl(request: CreationRequest, job: NewJob, rawBody: unknown): Promise<CreationAnswer> {
    return this.once(request, rawBody, async ({ jobId }, claim) => {
      // A job that an earlier attempt may have created was admitted then.
      if (!claim?.takenOver) await this.admission.admitUrl(request);
      return this.create(request, jobId, job);
    });
  }

  /** A new job id, whose owner may store its file. */
  owner(accountId: string): UploadOwner {
    return { accountId, jobId: this.ids.next('job'), token: randomUUID() };
  }

  /** Does the work under an id of its own; with an Idempotency-Key once for all calls with this body. */
  async once({ accountId, idempotencyKey: key }: CreationRequest, rawBody: unknown, work: CreateUnder): Promise<CreationAnswer> {
    if (key === undefined) return fresh(await work(this.owner(accountId), undefined));
    const begun = await this.idempotency.begin(accountId, key, fingerprint({ json: rawBody }));
    if (begun.kind === 'replay') return { accepted: begun.response, replayed: true };
    const { claim } = begun;
    return fresh(await this.finish(claim, () => work({ accountId, jobId: claim.jobId, token: claim.token }, claim)));
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
    // Receiving or copying a file takes longer than the lease lasts.
    const renewal = setInterval(() => void this.idempotency.renew(claim).catch(() => undefined), RENEW_EVERY_MS);
    try {
      accepted = await work();
    } catch (error) {
      // An earlier try may have made the job: its key must not become free.
      const mayBeMade = isUncertain(error) || claim.takenOver;
      clearInterval(renewal);
      await (mayBeMade ? this.idempotency.suspend(claim) : this.idempotency.release(claim)).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(renewal);
    }
    await this.idempotency.settle(claim, accepted);
    return accepted;
  }

  /** The job that an earlier try under the same id has made. */
  async made(accountId: string, jobId: string): Promise<AcceptedJob | undefined> {
    try {
      const { job } = await this.jobs.getJob({ accountId, jobId });
      return job && acceptedJob(job);
    } catch (error) {
      if (toAppError(error).kind === 'not_found') return undefined;
      throw error;
    }
  }

  private async create(request: CreationRequest, jobId: string, job: NewJob): Promise<AcceptedJob> {
    return acceptedJob(await this.maker.make(await this.requests.of(request, jobId, job), request.requestId));
  }
}

const fresh = (accepted: AcceptedJob): CreationAnswer => ({ accepted, replayed: false });

/** The answer of a creation. */
export function acceptedJob({ jobId, createdAt }: ingest.CreatedJob): AcceptedJob {
  const self = `/api/v1/transcriptions/${jobId}`;
  const links = { self, events: `${self}/events`, transcript: `${self}/transcript` };
  return { job_id: jobId, status: 'queued', created_at: createdAt?.toISOString() ?? '', links };
}
