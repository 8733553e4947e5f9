import { Module } from '@nestjs/common';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { HttpModule } from '../http/http.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { TranscriptionsModule } from '../transcriptions/transcriptions.module.js';
import { AppError } from '@parlance/platform';
import { LiveEndings } from './ending/live-endings.js';
import { SESSION_ENDING, type SessionEnding } from './ending/session-ending.js';
import { LiveEventsController } from './followers/live-events.controller.js';
import { LiveReadTokens } from './followers/live-read-tokens.js';
import { LiveConsumers } from './live-consumers.js';
import { LiveController } from './live.controller.js';
import { LiveCreation } from './live-creation.js';
import { LiveEngines } from './live-engines.js';
import { LiveMetrics } from './live-metrics.js';
import { LivePlaces } from './live-places.js';
import { LiveStoreModule } from './session/live-store.module.js';

/** Live sessions: created over HTTP, ended by whichever replica is there, followed by others. */
@Module({
  imports: [AccountStoreModule, HttpModule, JobsModule, KeysModule, LiveStoreModule, TranscriptionsModule],
  controllers: [LiveController, LiveEventsController],
  // Until recognition is in place.
  providers: [{ provide: SESSION_ENDING, useValue: { finish: () => Promise.reject(new AppError({ code: 'service_unavailable', message: 'Nothing ends live sessions.' })) } satisfies SessionEnding }, LiveConsumers, LiveCreation, LiveEndings, LiveEngines, LiveMetrics, LivePlaces, LiveReadTokens],
  exports: [LiveConsumers, LiveEndings, LiveMetrics],
})
export class LiveModule {}
