import { Inject, Injectable } from '@nestjs/common';
import type { ingest } from '@parlance/contracts';
import { AppError, SharedPlaces } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../../http/field-errors.js';
import { jsonTypeOf } from '../../http/json-type.js';
import { requirePlainBody } from '../../http/request-input.js';
import type { Caller } from '../../keys/authenticator.js';
import { hasTranscript, isOver } from '../../transcriptions/job-json.js';
import { uploadOptionsSchema, type UploadOptions } from '../../transcriptions/job-options-schema.js';
import type { JobRef } from '../../transcriptions/job-reader.js';
import { RequestRules } from '../../transcriptions/request-rules.js';
import type { FormFields } from '../../uploads/form-reader.js';
import { UploadIntake } from '../../uploads/stored/upload-intake.js';
import { UploadRecords } from '../../uploads/stored/upload-records.js';
import type { Upload } from '../../uploads/stored/upload.js';
import { CompatJobs } from '../compat-jobs.js';
import { CompatModels } from '../compat-models.js';
import { AccountPlaces } from './account-places.js';
import { readJsonRequest } from './openai-json-body.js';
import { openAiRequest, type OpenAiRequest } from './openai-request.js';

/** Bodies in JSON that an account, and all together, may send at once: one of 33 MiB takes some 90 MiB while it is decoded. */
const MAX_JSON_BODIES = 2;
const MAX_JSON_BODIES_IN_ALL = 8;
const RETRY_AFTER_SECONDS = 5;

/** Makes jobs of the forms of OpenAI's audio API. */
@Injectable()
export class OpenAiJobs {
  private readonly jsonBodies = new AccountPlaces(MAX_JSON_BODIES);
  private readonly jsonPlaces = new SharedPlaces(MAX_JSON_BODIES_IN_ALL, tooManyBodies);

  constructor(
    @Inject(UploadIntake) private readonly intake: Pick<UploadIntake, 'receiveForm' | 'receiveBytes'>,
    @Inject(UploadRecords) private readonly uploads: Pick<UploadRecords, 'discard'>,
    @Inject(CompatModels) private readonly models: CompatModels,
    @Inject(RequestRules) private readonly rules: RequestRules,
    @Inject(CompatJobs) private readonly jobs: CompatJobs,
  ) {}

  /**
   * Receives the form and makes a job of it; the same form again gets the same job.
   * @throws AppError of a form, a model or an option that cannot be served, and of admission
   */
  async create(caller: Caller, http: FastifyRequest): Promise<{ asked: OpenAiRequest; ref: JobRef }> {
    const { upload, fields } = await this.receive(caller, http);
    const { asked, options } = await this.optionsOf(fields).catch(async (error: unknown) => {
      await this.uploads.discard(upload.id);
      throw error;
    });
    return { asked, ref: await this.jobs.create(caller, http, { upload, options, source: 'openai' }) };
  }

  private async receive(caller: Caller, http: FastifyRequest): Promise<{ upload: Upload; fields: FormFields }> {
    if (jsonTypeOf(http.headers['content-type']) !== 'json') return this.intake.receiveForm(caller, http);
    requirePlainBody(http);
    const release = this.jsonBodies.take(caller.accountId);
    if (!release) throw tooManyBodies();
    try {
      return await this.receiveJson(caller, http);
    } finally {
      release();
    }
  }

  private async receiveJson(caller: Caller, http: FastifyRequest): Promise<{ upload: Upload; fields: FormFields }> {
    const { lost, leave } = this.jsonPlaces.take(caller.accountId);
    try {
      const { fields, ...file } = await readJsonRequest(http, lost);
      return { upload: await this.intake.receiveBytes(caller, http, file), fields };
    } finally {
      leave();
    }
  }

  private async optionsOf(fields: FormFields): Promise<{ asked: OpenAiRequest; options: UploadOptions }> {
    const asked = openAiRequest(fields);
    const model = await this.models.resolve('openai', asked.model);
    const { language, vocabulary, speakers } = asked;
    const wrong = await this.rules.violations({ model, language });
    if (wrong.length > 0) throw invalidFields(wrong);
    const options = uploadOptionsSchema.parse({ model, language, vocabulary, diarization: speakers, summary: false, highlights: false, metadata: { source: 'openai' } });
    return { asked, options };
  }
}

const tooManyBodies = () =>
  new AppError({ kind: 'rate_limited', code: 'rate_limited', message: `An account can send ${MAX_JSON_BODIES} files in JSON at the same time, and all accounts ${MAX_JSON_BODIES_IN_ALL}. Send further ones as forms (multipart/form-data), or later.`, retryable: true, retryAfter: RETRY_AFTER_SECONDS });

/** True when the answer can be given: the transcript is complete, with its speakers when they were requested, or the job has failed. */
export const isAnswerable = (job: ingest.Job, { speakers }: Pick<OpenAiRequest, 'speakers'>): boolean => isOver(job) || (!speakers && hasTranscript(job));
