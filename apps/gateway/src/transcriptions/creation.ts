import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ingest, JobService } from '@parlance/contracts';
import { toAppError, type IdGenerator } from '@parlance/platform';
import { ID_GENERATOR, JOB_SERVICE } from '@parlance/runtime';
import { Idempotency, isUncertain, type Claim } from '../idempotency/idempotency.js';
import { fingerprint } from '../idempotency/fingerprint.js';
import { RetentionRules } from '../plans/index.js';
import { RENEW_EVERY_MS, type UploadOwner } from '../uploads/upload-leases.js';
import { UploadStore } from '../uploads/upload-store.js';
import { Vocabularies } from '../vocabularies/vocabularies.js';
import { withVocabulary } from '../vocabularies/with-vocabulary.js';
import { invalidFields } from '../http/field-errors.js';
import { Admission } from './admission.js';
import { JobHeaders } from './job-headers.js';
import { JobMaker } from './job-maker.js';
import { jobOptions } from './job-options.js';
import type { UploadOptions } from './job-options-schema.js';
import type { AcceptedJob } from './job-schema.js';

export interface CreationAnswer {
  accepted: AcceptedJob;
  replayed: boolean;
}

export interface CreationRequest {
  accountId: string;
  /** The id of the API key. */
  keyId: string;
  /** The id of the key or token. */
  credentialId: string;
  idempotencyKey: string | undefined;
  requestId: string;
  /** The batch that the job belongs to. */
  batchId?: string;
  /** The project that the job belongs to. */
  projectId?: string | undefined;
}

type Source = NonNullable<ingest.CreateJobRequest['source']>;

export interface NewJob {
  source: Source;
  options: UploadOptions;
  /** Headers for the fetch of a URL. */
  audioHeaders?: Readonly<Record<string, string>> | undefined;
  /** The same, sealed for the job already. */
  sealedAudioHeaders?: string | undefined;
  /** `callback_headers` of the options, sealed for the job already. */
  sealedCallbackHeaders?: string | undefined;
}

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
    @Inject(JobHeaders) private readonly headers: JobHeaders,
    @Inject(RetentionRules) private readonly retention: Pick<RetentionRules, 'of'>,
    @Inject(Vocabularies) private readonly vocabularies: Pick<Vocabularies, 'get'>,
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

  /** Does the work under an id of its own; with an Idempotency-Key once for all calls with this body. */
  async once({ accountId, idempotencyKey: key }: CreationRequest, rawBody: unknown, work: CreateUnder): Promise<CreationAnswer> {
    if (key === undefined) return fresh(await work({ accountId, jobId: this.ids.next('job'), token: randomUUID() }, undefined));
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

  private async create({ accountId, keyId, requestId, batchId, projectId }: CreationRequest, jobId: string, { source, options, audioHeaders, ...job }: NewJob): Promise<AcceptedJob> {
    const sealedAudioHeaders = audioHeaders ? this.headers.sealAudio(audioHeaders, accountId, jobId) : job.sealedAudioHeaders;
    const sealedCallbackHeaders = job.sealedCallbackHeaders ?? this.headers.sealCallback(options, accountId, jobId);
    const kept = await this.retention.of(accountId, options);
    const saved = await this.withSavedVocabulary(accountId, options);
    const recordedAt = options.recorded_at === undefined ? undefined : new Date(options.recorded_at);
    const request = { jobId, accountId, source, callbackUrl: options.callback_url, callbackInclude: options.callback_include && { names: options.callback_include }, keyId, batchId, projectId, title: options.title, recordedAt, options: jobOptions({ ...saved, ...kept }), limits: await this.admission.limitsOf(accountId), sealedAudioHeaders, sealedCallbackHeaders };
    return acceptedJob(await this.maker.make(request, requestId));
  }

  /** @throws AppError validation_failed when the account has no such vocabulary */
  private async withSavedVocabulary(accountId: string, options: UploadOptions): Promise<UploadOptions> {
    if (options.vocabulary_id === undefined) return options;
    const saved = await this.vocabularies.get(accountId, options.vocabulary_id).catch(unknownVocabulary);
    return withVocabulary(options, saved);
  }
}

function unknownVocabulary(error: unknown): never {
  if (toAppError(error).kind !== 'not_found') throw error;
  throw invalidFields([{ pointer: '/vocabulary_id', code: 'invalid_value', detail: 'There is no such vocabulary.' }]);
}

const fresh = (accepted: AcceptedJob): CreationAnswer => ({ accepted, replayed: false });

function acceptedJob({ jobId, createdAt }: ingest.CreatedJob): AcceptedJob {
  const self = `/api/v1/transcriptions/${jobId}`;
  const links = { self, events: `${self}/events`, transcript: `${self}/transcript` };
  return { job_id: jobId, status: 'queued', created_at: createdAt?.toISOString() ?? '', links };
}
