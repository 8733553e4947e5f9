import { Inject, Injectable } from '@nestjs/common';
import type { ingest } from '@parlance/contracts';
import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../../http/field-errors.js';
import { readRawBody } from '../../http/request-input.js';
import { idempotencyKeyOf } from '../../idempotency/idempotency-key.js';
import type { Caller } from '../../keys/authenticator.js';
import { Creation, creationRequest } from '../../transcriptions/creation.js';
import { RequestRules } from '../../transcriptions/request-rules.js';
import { StoredUploadCreation } from '../../transcriptions/stored-upload-creation.js';
import { UploadIntake } from '../../uploads/stored/upload-intake.js';
import { CompatModels } from '../compat-models.js';
import { assemblyAiRequest } from './assemblyai-request.js';

const UPLOAD_PATH = '/compat/assemblyai/v2/upload/';

/** Makes jobs of requests to AssemblyAI's API. */
@Injectable()
export class AssemblyAiJobs {
  constructor(
    @Inject(UploadIntake) private readonly intake: Pick<UploadIntake, 'receive'>,
    @Inject(Creation) private readonly creation: Creation,
    @Inject(StoredUploadCreation) private readonly storedUploadCreation: StoredUploadCreation,
    @Inject(CompatModels) private readonly models: CompatModels,
    @Inject(RequestRules) private readonly rules: RequestRules,
  ) {}

  /** @returns the URL of the file, by which the account alone can use it. @throws AppError as UploadIntake */
  async upload(caller: Caller, http: FastifyRequest): Promise<string> {
    const { id } = await this.intake.receive(caller, http, undefined);
    return uploadUrl(http, id);
  }

  /** @returns the id of the job. @throws AppError of the body, its URL or upload, and of admission */
  async create(caller: Caller, http: FastifyRequest): Promise<string> {
    const body = await readRawBody({}, http);
    const { audioUrl, model, options: asked } = assemblyAiRequest(body);
    const options = { ...asked, model: await this.models.resolve('assemblyai', model) };
    const uploadId = uploadIdOf(http, audioUrl);
    const wrong = await this.rules.violations({ model: options.model, language: options.language, ...(uploadId === undefined && { audio_url: audioUrl }) });
    if (wrong.length > 0) throw invalidFields(wrong);
    const request = creationRequest(caller, http.id, idempotencyKeyOf(http));
    const { accepted } = await (uploadId === undefined
      ? this.creation.byUrl(request, { source: { $case: 'audioUrl', value: audioUrl }, options }, body)
      : this.storedUploadCreation.byIds(request, [uploadId], options, body));
    return accepted.job_id;
  }
}

/** This server's address, by PUBLIC_URL, or else by the Host of the request. */
export const baseUrlOf = ({ server: { publicUrl }, protocol, host }: FastifyRequest): string => publicUrl ?? `${protocol}://${host}`;

const uploadUrl = (http: FastifyRequest, id: string): string => baseUrlOf(http) + UPLOAD_PATH + id;

function uploadIdOf(http: FastifyRequest, url: string): string | undefined {
  const start = uploadUrl(http, '');
  return url.startsWith(start) ? url.slice(start.length) : undefined;
}

/** The URL that the client gave: of an upload that of the upload, otherwise the one of the recording, without its query. */
export const audioUrlOf = (http: FastifyRequest, { uploadIds: [uploadId], audioUrl }: ingest.Job): string => (uploadId === undefined ? (audioUrl ?? '') : uploadUrl(http, uploadId));
