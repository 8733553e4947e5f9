import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../../http/field-errors.js';
import { jsonTypeOf } from '../../http/json-type.js';
import { readRawBody } from '../../http/request-input.js';
import type { Caller } from '../../keys/authenticator.js';
import { url } from '../../transcriptions/job-options-schema.js';
import type { JobRef } from '../../transcriptions/job-reader.js';
import { RequestRules } from '../../transcriptions/request-rules.js';
import { UploadIntake } from '../../uploads/stored/upload-intake.js';
import { CompatJobs } from '../compat-jobs.js';
import { CompatModels } from '../compat-models.js';
import { invalidValues } from '../request-texts.js';
import type { DeepgramQuery } from './deepgram-query.js';
import { deepgramRequest, jobOptionsOf, type DeepgramRequest } from './deepgram-request.js';
import { waveHead } from './wave-head.js';

const SOURCE = 'deepgram';

/** Makes jobs of the requests of Deepgram's API for recordings. */
@Injectable()
export class DeepgramJobs {
  constructor(
    @Inject(UploadIntake) private readonly intake: Pick<UploadIntake, 'receiveBody'>,
    @Inject(CompatModels) private readonly models: CompatModels,
    @Inject(RequestRules) private readonly rules: RequestRules,
    @Inject(CompatJobs) private readonly jobs: CompatJobs,
  ) {}

  /**
   * Receives the recording, or its URL, and makes a job of it; the same request again gets the same job.
   * @throws AppError of a parameter or a recording that cannot be served, and of admission
   */
  async create(caller: Caller, http: FastifyRequest): Promise<{ asked: DeepgramRequest; ref: JobRef }> {
    const query = http.query as DeepgramQuery;
    const asked = deepgramRequest(query);
    const options = jobOptionsOf(query, asked, await this.models.resolve('deepgram', asked.model));
    await this.requireServable({ model: options.model, language: options.language });
    if (jsonTypeOf(http.headers['content-type']) !== 'other') return { asked, ref: await this.jobs.createByUrl(caller, http, { url: await this.urlOf(http), options, source: SOURCE }) };
    const length = http.headers['content-length'];
    const upload = await this.intake.receiveBody(caller, http, waveHead(query, length === undefined ? undefined : Number(length)));
    return { asked, ref: await this.jobs.create(caller, http, { upload, options, source: SOURCE }) };
  }

  private async urlOf(http: FastifyRequest): Promise<string> {
    const given = ((await readRawBody({}, http)) as { url?: unknown } | null)?.url;
    const { data, error } = url.safeParse(given, { reportInput: true });
    if (data === undefined) throw invalidValues(error, () => '/url');
    await this.requireServable({ url: data });
    return data;
  }

  private async requireServable(body: object): Promise<void> {
    const wrong = await this.rules.violations(body);
    if (wrong.length > 0) throw invalidFields(wrong);
  }
}
