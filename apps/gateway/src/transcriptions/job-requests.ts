import { Inject, Injectable } from '@nestjs/common';
import type { ingest } from '@parlance/contracts';
import { toAppError } from '@parlance/platform';
import { requireReader } from '../deliveries/webhook-include.js';
import { invalidFields } from '../http/field-errors.js';
import { RetentionRules } from '../plans/index.js';
import { Vocabularies } from '../vocabularies/vocabularies.js';
import { withVocabulary } from '../vocabularies/with-vocabulary.js';
import { Admission } from './admission.js';
import { JobHeaders } from './job-headers.js';
import { jobOptions } from './job-options.js';
import type { UploadOptions } from './job-options-schema.js';

/** The account, key, batch and project that a job is created for. */
export interface JobOrigin {
  accountId: string;
  /** The id of the API key. */
  keyId: string;
  /** False: no contents of the transcript may be sent to the receiver. */
  mayRead: boolean;
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

/** Completes what a client gave for a new job: seals its headers, and adds the account's retention, vocabulary and limits. */
@Injectable()
export class JobRequests {
  constructor(
    @Inject(JobHeaders) private readonly headers: JobHeaders,
    @Inject(RetentionRules) private readonly retention: Pick<RetentionRules, 'of'>,
    @Inject(Vocabularies) private readonly vocabularies: Pick<Vocabularies, 'get'>,
    @Inject(Admission) private readonly admission: Pick<Admission, 'limitsOf'>,
  ) {}

  /** @throws AppError insufficient_scope; validation_failed when the account has no such vocabulary, and as JobHeaders */
  async of({ accountId, keyId, mayRead, batchId, projectId }: JobOrigin, jobId: string, { source, options, audioHeaders, ...job }: NewJob): Promise<ingest.CreateJobRequest> {
    requireReader(mayRead, options.callback_include);
    const sealedAudioHeaders = audioHeaders ? this.headers.sealAudio(audioHeaders, accountId, jobId) : job.sealedAudioHeaders;
    const sealedCallbackHeaders = job.sealedCallbackHeaders ?? this.headers.sealCallback(options, accountId, jobId);
    const kept = await this.retention.of(accountId, options);
    const saved = await this.withSavedVocabulary(accountId, options);
    const recordedAt = options.recorded_at === undefined ? undefined : new Date(options.recorded_at);
    return { jobId, accountId, source, callbackUrl: options.callback_url, callbackInclude: options.callback_include && { names: options.callback_include }, keyId, batchId, projectId, title: options.title, recordedAt, options: jobOptions({ ...saved, ...kept }), limits: await this.admission.limitsOf(accountId), sealedAudioHeaders, sealedCallbackHeaders };
  }

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
