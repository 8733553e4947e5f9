import { Module } from '@nestjs/common';
import { HttpModule } from '../../http/http.module.js';
import { LanguagesModule } from '../../languages/languages.module.js';
import { JobsModule } from '../../transcriptions/jobs.module.js';
import { TranscriptionsModule } from '../../transcriptions/transcriptions.module.js';
import { StoredUploadsModule } from '../../uploads/stored/stored-uploads.module.js';
import { UploadsModule } from '../../uploads/uploads.module.js';
import { CompatModule } from '../compat.module.js';
import { OpenAiController } from './openai.controller.js';
import { OpenAiJobs } from './openai-jobs.js';
import { OpenAiModels } from './openai-models.js';
import { OpenAiWaiting } from './openai-waiting.js';

/** OpenAI's audio API over the jobs of this server. */
@Module({
  imports: [CompatModule, HttpModule, JobsModule, LanguagesModule, StoredUploadsModule, TranscriptionsModule, UploadsModule],
  controllers: [OpenAiController],
  providers: [OpenAiJobs, OpenAiModels, OpenAiWaiting],
})
export class OpenAiModule {}
