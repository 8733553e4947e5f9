import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ingest } from '@parlance/contracts';
import { AppError, pause, toAppError, type Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../../http/field-errors.js';
import { idempotencyKeyOf } from '../../idempotency/idempotency-key.js';
import { credentialOf, type Caller } from '../../keys/authenticator.js';
import { hasTranscript, isOver, statusOf } from '../../transcriptions/job-json.js';
import { uploadOptionsSchema, type UploadOptions } from '../../transcriptions/job-options-schema.js';
import { JobReader, type JobRef } from '../../transcriptions/job-reader.js';
import { RequestRules } from '../../transcriptions/request-rules.js';
import { StoredUploadCreation } from '../../transcriptions/stored-upload-creation.js';
import type { FormFields } from '../../uploads/form-reader.js';
import { UploadIntake } from '../../uploads/stored/upload-intake.js';
import { UploadRecords } from '../../uploads/stored/upload-records.js';
import { OpenAiModels } from './openai-models.js';
import { openAiRequest, type OpenAiRequest } from './openai-request.js';

/** Milliseconds after its creation in which the same upload gets the job that is there. */
const REPEATED_WITHIN_MS = 900_000;
/** The same file is transcribed anew at most so often in a day. */
const MAX_REPEATS = 100;
const IN_FLIGHT_TRIES = 60;
const IN_FLIGHT_PAUSE_MS = 250;

/** Makes jobs of the forms of OpenAI's audio API. */
@Injectable()
export class OpenAiJobs {
  constructor(
    @Inject(UploadIntake) private readonly intake: Pick<UploadIntake, 'receiveForm'>,
    @Inject(UploadRecords) private readonly uploads: Pick<UploadRecords, 'discard'>,
    @Inject(OpenAiModels) private readonly models: OpenAiModels,
    @Inject(RequestRules) private readonly rules: RequestRules,
    @Inject(StoredUploadCreation) private readonly creation: StoredUploadCreation,
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Receives the form and makes a job of it. A client that sends the same form again while the job runs, or soon after, gets
   * the same job: OpenAI's clients repeat a request that took too long, without an Idempotency-Key.
   * @throws AppError of a form, a model or an option that cannot be served, and of admission
   */
  async create(caller: Caller, http: FastifyRequest): Promise<{ asked: OpenAiRequest; ref: JobRef }> {
    const { upload, fields } = await this.intake.receiveForm(caller, http);
    try {
      const { asked, options } = await this.optionsOf(fields);
      const { accountId, keyId, projectId } = caller;
      const request = { accountId, keyId, projectId, credentialId: credentialOf(caller), requestId: http.id };
      const body = { sha256: upload.sha256 ?? '', options };
      const given = idempotencyKeyOf(http);
      const make = async (key: string): Promise<JobRef> => {
        const { accepted } = await this.creation.byIds({ ...request, idempotencyKey: key }, [upload.id], options, body);
        return { accountId, jobId: accepted.job_id, ...(projectId !== undefined && { projectId }) };
      };
      return { asked, ref: given === undefined ? await this.newOrRepeated(make, body) : await make(given) };
    } finally {
      // The job has a copy of its own.
      await this.uploads.discard(upload.id);
    }
  }

  private async optionsOf(fields: FormFields): Promise<{ asked: OpenAiRequest; options: UploadOptions }> {
    const asked = openAiRequest(fields);
    const model = await this.models.resolve(asked.model);
    const { language, vocabulary, speakers } = asked;
    const wrong = await this.rules.violations({ model, language });
    if (wrong.length > 0) throw invalidFields(wrong);
    const options = uploadOptionsSchema.parse({ model, language, vocabulary, diarization: speakers, summary: false, highlights: false, metadata: { source: 'openai' } });
    return { asked, options };
  }

  private async newOrRepeated(make: (key: string) => Promise<JobRef>, body: object): Promise<JobRef> {
    const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    for (let repeat = 0; repeat < MAX_REPEATS; repeat += 1) {
      const ref = await this.attached(() => make(`openai-${digest}-${repeat}`));
      if (ref && (await this.isUsable(ref))) return ref;
    }
    throw new AppError({ kind: 'rate_limited', code: 'rate_limited', message: 'The same file was sent too often today.', retryable: true });
  }

  /** @returns undefined when the job that was made so is deleted */
  private async attached(make: () => Promise<JobRef>): Promise<JobRef | undefined> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await make();
      } catch (error) {
        const { code, reason } = toAppError(error);
        if (reason === 'job_erased') return undefined;
        // Two requests at once: the second waits until the first has made the job.
        if (code !== 'idempotency_in_flight' || tries === IN_FLIGHT_TRIES) throw error;
        await pause(IN_FLIGHT_PAUSE_MS);
      }
    }
  }

  /** A job that runs or has just been made; one that failed is made anew. */
  private async isUsable(ref: JobRef): Promise<boolean> {
    const job = await this.reader.get(ref).catch((error: unknown) => {
      if (toAppError(error).kind === 'not_found') return undefined;
      throw error;
    });
    if (!job || statusOf(job) === 'failed' || statusOf(job) === 'canceled') return false;
    return !isOver(job) || this.clock.now().getTime() - (job.createdAt?.getTime() ?? 0) < REPEATED_WITHIN_MS;
  }
}

/** True when the answer can be given: the transcript is complete, with its speakers when they were requested, or the job has failed. */
export const isAnswerable = (job: ingest.Job, { speakers }: Pick<OpenAiRequest, 'speakers'>): boolean => isOver(job) || (!speakers && hasTranscript(job));
