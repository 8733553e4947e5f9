import { Controller, Inject, Module, Res } from '@nestjs/common';
import { usageJson, type summary, type SummaryService } from '@parlance/contracts';
import { SUMMARY_SERVICE } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import { invalidFields } from '../http/field-errors.js';
import type { InputOf } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { statusOfWork } from '../summaries/summary-json.js';
import { failureJson, timeText } from '../transcriptions/job-json.js';
import { JobReader } from '../transcriptions/job-reader.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { createTranslation, getTranslation, type TranslationJson } from './translation-operations.js';

@Controller()
class TranslationsController {
  constructor(
    @Inject(SUMMARY_SERVICE) private readonly summaries: SummaryService,
    @Inject(JobReader) private readonly reader: JobReader,
  ) {}

  @Serves(createTranslation)
  async create(@Input() { params, body }: InputOf<typeof createTranslation>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId, jobId: params.job_id };
    const { transcriptLanguage } = await this.reader.get(ref);
    if (transcriptLanguage === body.language) throw invalidFields([{ pointer: '/language', code: 'invalid_value', detail: 'The transcript is in this language already.' }]);
    const { translation } = await this.summaries.createTranslation({ ...ref, language: body.language });
    const json = translation && translationJson(translation);
    void reply.status(202).header('location', json?.links.self).send(json);
  }

  @Serves(getTranslation)
  async one(@Input() { params }: InputOf<typeof getTranslation>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId, jobId: params.job_id };
    await this.reader.get(ref);
    const { translation } = await this.summaries.getTranslation({ ...ref, language: params.language });
    void reply.send(translation && translationJson(translation));
  }
}

@Module({ imports: [JobsModule], controllers: [TranslationsController] })
export class TranslationsModule {}

function translationJson({ jobId, language, status, error, ...message }: summary.Translation): TranslationJson {
  const job = `/api/v1/transcriptions/${jobId}`;
  return present({
    job_id: jobId,
    language,
    status: statusOfWork(status),
    created_at: timeText(message.createdAt) ?? '',
    completed_at: timeText(message.completedAt),
    error: error && failureJson(error),
    segments_total: message.segmentsTotal,
    segments_done: message.segmentsDone,
    outdated: message.outdated,
    engine: message.engine === '' ? undefined : message.engine,
    usage: usageJson(message.usage),
    links: { self: `${job}/translations/${language}`, transcript: `${job}/transcript?language=${language}` },
  });
}
