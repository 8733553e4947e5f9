import { Module } from '@nestjs/common';
import { HttpModule } from '../../http/http.module.js';
import { LanguagesModule } from '../../languages/languages.module.js';
import { JobsModule } from '../../transcriptions/jobs.module.js';
import { StoredUploadsModule } from '../../uploads/stored/stored-uploads.module.js';
import { CompatModule } from '../compat.module.js';
import { AsrController } from './asr.controller.js';
import { AsrJobs } from './asr-jobs.js';

/** The API of whisper-asr-webservice over the jobs of this server. */
@Module({
  imports: [CompatModule, HttpModule, JobsModule, LanguagesModule, StoredUploadsModule],
  controllers: [AsrController],
  providers: [AsrJobs],
})
export class AsrModule {}
