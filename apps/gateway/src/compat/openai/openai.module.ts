import { Module } from '@nestjs/common';
import { AccountStoreModule } from '../../accounts/account-store.module.js';
import { HttpModule } from '../../http/http.module.js';
import { KeysModule } from '../../keys/keys.module.js';
import { LanguagesModule } from '../../languages/languages.module.js';
import { LimitsModule } from '../../limits/limits.module.js';
import { LiveModule } from '../../live/live.module.js';
import { JobsModule } from '../../transcriptions/jobs.module.js';
import { TranscriptionsModule } from '../../transcriptions/transcriptions.module.js';
import { StoredUploadsModule } from '../../uploads/stored/stored-uploads.module.js';
import { UploadsModule } from '../../uploads/uploads.module.js';
import { CompatModule } from '../compat.module.js';
import { OpenAiController } from './openai.controller.js';
import { OpenAiJobs } from './openai-jobs.js';
import { OpenAiModels } from './openai-models.js';
import { OpenAiWaiting } from './openai-waiting.js';
import { RealtimeController } from './realtime/realtime.controller.js';
import { RealtimeSecrets } from './realtime/realtime-secrets.js';
import { RealtimeSessions } from './realtime/realtime-sessions.js';
import { RealtimeSockets } from './realtime/realtime-sockets.js';

/** OpenAI's audio API over the jobs of this server. */
@Module({
  imports: [AccountStoreModule, CompatModule, HttpModule, JobsModule, KeysModule, LanguagesModule, LimitsModule, LiveModule, StoredUploadsModule, TranscriptionsModule, UploadsModule],
  controllers: [OpenAiController, RealtimeController],
  providers: [OpenAiJobs, OpenAiModels, OpenAiWaiting, RealtimeSecrets, RealtimeSessions, RealtimeSockets],
})
export class OpenAiModule {}
