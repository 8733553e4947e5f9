import { Module } from '@nestjs/common';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { AuditStoreModule } from '../audit/audit-store.module.js';
import { HttpModule } from '../http/http.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { TranscriptionsModule } from '../transcriptions/transcriptions.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { LiveEndings } from './ending/live-endings.js';
import { SESSION_ENDING } from './ending/session-ending.js';
import { LiveEventsController } from './followers/live-events.controller.js';
import { LiveReadTokens } from './followers/live-read-tokens.js';
import { LiveConsumers } from './live-consumers.js';
import { LiveController } from './live.controller.js';
import { LiveCreation } from './live-creation.js';
import { LiveEngines } from './live-engines.js';
import { LiveMetrics } from './live-metrics.js';
import { LivePlaces } from './live-places.js';
import { SessionEnd } from './ending/session-end.js';
import { LiveStoreModule } from './session/live-store.module.js';
import { LiveSockets } from './socket/live-sockets.js';
import { SOCKET_PROVIDERS } from './socket/socket-providers.js';

/** Live sessions: created over HTTP, ended by whichever replica is there, followed by others. */
@Module({
  imports: [AccountStoreModule, AuditStoreModule, HttpModule, JobsModule, KeysModule, LiveStoreModule, TranscriptionsModule, UploadsModule, UsageModule],
  controllers: [LiveController, LiveEventsController],
  providers: [{ provide: SESSION_ENDING, useExisting: SessionEnd }, LiveConsumers, LiveCreation, LiveEndings, LiveEngines, LiveMetrics, LivePlaces, LiveReadTokens, ...SOCKET_PROVIDERS],
  exports: [LiveConsumers, LiveCreation, LiveEndings, LiveMetrics, LiveSockets, LiveStoreModule],
})
export class LiveModule {}
