import { Module } from '@nestjs/common';
import { HttpModule } from '../../http/http.module.js';
import { JobsModule } from '../../transcriptions/jobs.module.js';
import { TranscriptionsModule } from '../../transcriptions/transcriptions.module.js';
import { StoredUploadsModule } from '../../uploads/stored/stored-uploads.module.js';
import { CompatModule } from '../compat.module.js';
import { AssemblyAiController } from './assemblyai.controller.js';
import { AssemblyAiJobs } from './assemblyai-jobs.js';
import { AssemblyAiList } from './assemblyai-list.js';
import { AssemblyAiTranscripts } from './assemblyai-transcripts.js';

/** AssemblyAI's API for recordings over the jobs of this server. */
@Module({
  imports: [CompatModule, HttpModule, JobsModule, StoredUploadsModule, TranscriptionsModule],
  controllers: [AssemblyAiController],
  providers: [AssemblyAiJobs, AssemblyAiList, AssemblyAiTranscripts],
})
export class AssemblyAiModule {}
