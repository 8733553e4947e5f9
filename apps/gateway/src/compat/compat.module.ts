import { Module } from '@nestjs/common';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { TranscriptionsModule } from '../transcriptions/transcriptions.module.js';
import { StoredUploadsModule } from '../uploads/stored/stored-uploads.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { CompatJobs } from './compat-jobs.js';
import { CompatTranscripts } from './compat-transcripts.js';
import { LongAnswers } from './long-answers.js';

/** Providers that the translators of other vendors' APIs share. */
@Module({
  imports: [JobsModule, StoredUploadsModule, TranscriptionsModule, UploadsModule],
  providers: [CompatJobs, CompatTranscripts, LongAnswers],
  exports: [CompatJobs, CompatTranscripts, LongAnswers],
})
export class CompatModule {}
