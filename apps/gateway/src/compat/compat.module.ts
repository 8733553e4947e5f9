import { Module } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { TranscriptionsModule } from '../transcriptions/transcriptions.module.js';
import { StoredUploadsModule } from '../uploads/stored/stored-uploads.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { CompatJobs } from './compat-jobs.js';
import { CompatTranscripts } from './compat-transcripts.js';
import { LongAnswers } from './long-answers.js';
import { SocketCallers } from './socket-callers.js';

/** Providers that the translators of other vendors' APIs share. */
@Module({
  imports: [JobsModule, KeysModule, LimitsModule, StoredUploadsModule, TranscriptionsModule, UploadsModule],
  providers: [CompatJobs, CompatTranscripts, LongAnswers, SocketCallers],
  exports: [CompatJobs, CompatTranscripts, LongAnswers, SocketCallers],
})
export class CompatModule {}
