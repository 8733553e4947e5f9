import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { LanguagesModule } from '../languages/languages.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { TranscriptionsModule } from '../transcriptions/transcriptions.module.js';
import { StoredUploadsModule } from '../uploads/stored/stored-uploads.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { CompatJobs } from './compat-jobs.js';
import { CompatModels } from './compat-models.js';
import { CompatTranscripts } from './compat-transcripts.js';
import { LongAnswers } from './long-answers.js';
import { SocketCallers } from './socket-callers.js';

/** Providers that the translators of other vendors' APIs share. */
@Module({
  imports: [HttpModule, JobsModule, KeysModule, LanguagesModule, LimitsModule, StoredUploadsModule, TranscriptionsModule, UploadsModule],
  providers: [CompatJobs, CompatModels, CompatTranscripts, LongAnswers, SocketCallers],
  exports: [CompatJobs, CompatModels, CompatTranscripts, LongAnswers, SocketCallers],
})
export class CompatModule {}
