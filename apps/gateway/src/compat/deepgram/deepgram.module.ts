import { Module } from '@nestjs/common';
import { HttpModule } from '../../http/http.module.js';
import { KeysModule } from '../../keys/keys.module.js';
import { LanguagesModule } from '../../languages/languages.module.js';
import { LimitsModule } from '../../limits/limits.module.js';
import { LiveModule } from '../../live/live.module.js';
import { LiveStoreModule } from '../../live/session/live-store.module.js';
import { JobsModule } from '../../transcriptions/jobs.module.js';
import { TranscriptionsModule } from '../../transcriptions/transcriptions.module.js';
import { StoredUploadsModule } from '../../uploads/stored/stored-uploads.module.js';
import { UploadsModule } from '../../uploads/uploads.module.js';
import { CompatModule } from '../compat.module.js';
import { DeepgramController } from './deepgram.controller.js';
import { DeepgramJobs } from './deepgram-jobs.js';
import { DeepgramSockets } from './deepgram-sockets.js';
import { DeepgramWaiting } from './deepgram-waiting.js';

/** Deepgram's API for speech over the jobs and live sessions of this server. */
@Module({
  imports: [CompatModule, HttpModule, JobsModule, KeysModule, LanguagesModule, LimitsModule, LiveModule, LiveStoreModule, StoredUploadsModule, TranscriptionsModule, UploadsModule],
  controllers: [DeepgramController],
  providers: [DeepgramJobs, DeepgramSockets, DeepgramWaiting],
})
export class DeepgramModule {}
