import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../../http/field-errors.js';
import type { Caller } from '../../keys/authenticator.js';
import { findModel, SpeechModels } from '../../languages/speech-models.js';
import { uploadOptionsSchema, type UploadOptions } from '../../transcriptions/job-options-schema.js';
import type { JobRef } from '../../transcriptions/job-reader.js';
import { RequestRules } from '../../transcriptions/request-rules.js';
import type { FormFields } from '../../uploads/form-reader.js';
import { UploadIntake } from '../../uploads/stored/upload-intake.js';
import { CompatJobs } from '../compat-jobs.js';
import { unsupportedParameter } from '../request-texts.js';
import { asrRequest, isBarePcm, type AsrRequest } from './asr-request.js';
import { firstSeconds, wavOfPcm } from './bare-pcm.js';

const FILE_FIELD = 'audio_file';
const SOURCE = 'asr';
/** Whisper detects the language by the first 30 seconds. */
const DETECTION_SECONDS = 30;
/** A job that was made for its language alone is erased after one hour. */
const DETECTION_HOURS = 1;

/** Makes jobs of the requests to whisper-asr-webservice. */
@Injectable()
export class AsrJobs {
  constructor(
    @Inject(UploadIntake) private readonly intake: Pick<UploadIntake, 'receiveForm'>,
    @Inject(RequestRules) private readonly rules: RequestRules,
    @Inject(SpeechModels) private readonly models: SpeechModels,
    @Inject(CompatJobs) private readonly jobs: CompatJobs,
  ) {}

  /**
   * Reads the query, which says all but the file, receives the file and makes a job of it; the same request again gets the same job.
   * @throws AppError of the query, the form, the file, and of admission
   */
  async transcribe(caller: Caller, http: FastifyRequest): Promise<{ asked: AsrRequest; ref: JobRef; fileName: string | undefined }> {
    const query = http.query as FormFields;
    const asked = asrRequest(query);
    const options = await this.optionsOf(asked);
    const transform = isBarePcm(query) ? wavOfPcm : (body: AsyncIterable<Uint8Array>) => body;
    const { upload } = await this.intake.receiveForm(caller, http, { fileField: FILE_FIELD, transform });
    return { asked, ref: await this.jobs.create(caller, http, { upload, options, source: SOURCE }), fileName: upload.fileName };
  }

  /** Makes a job whose language is detected. @throws AppError not_supported where the default engine reports no language */
  async detectLanguage(caller: Caller, http: FastifyRequest): Promise<JobRef> {
    const engine = findModel(await this.models.require(), undefined);
    if (!engine?.reportsLanguage) throw unsupportedParameter('audio_file', 'The speech engine of this server does not report the language that is spoken. Name the language of each recording instead.');
    const options = uploadOptionsSchema.parse({ ...TRANSCRIPT_ONLY, diarization: false, retention_hours: DETECTION_HOURS, metadata: { source: SOURCE, purpose: 'language_detection' } });
    const isBare = isBarePcm(http.query as FormFields);
    const transform = (body: AsyncIterable<Uint8Array>) => (isBare ? wavOfPcm(firstSeconds(body, DETECTION_SECONDS)) : body);
    const { upload } = await this.intake.receiveForm(caller, http, { fileField: FILE_FIELD, transform });
    return this.jobs.create(caller, http, { upload, options, source: SOURCE });
  }

  private async optionsOf({ model, language, vocabulary, diarization, title }: AsrRequest): Promise<UploadOptions> {
    const wrong = await this.rules.violations({ model, language });
    if (wrong.length > 0) throw invalidFields(wrong);
    return uploadOptionsSchema.parse({ ...TRANSCRIPT_ONLY, model, language, vocabulary, diarization, title, metadata: { source: SOURCE } });
  }
}

const TRANSCRIPT_ONLY = { summary: false, highlights: false };
