import { Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import type { Egress } from '@parlance/egress';
import { AccountEventsModule } from './account-events/account-events.controller.js';
import { AccountExportsModule } from './account-exports/account-exports.module.js';
import { AccountsModule } from './accounts/accounts.module.js';
import { AuditModule } from './audit/audit.module.js';
import { BatchesModule } from './batches/batches.module.js';
import { ChatModule } from './chat/chat.module.js';
import { AssemblyAiModule } from './compat/assemblyai/assemblyai.module.js';
import { AsrModule } from './compat/asr/asr.module.js';
import { DeepgramModule } from './compat/deepgram/deepgram.module.js';
import { OpenAiModule } from './compat/openai/openai.module.js';
import { DeliveriesModule } from './deliveries/deliveries.module.js';
import { DocsModule } from './docs/docs.controller.js';
import { EditingModule } from './editing/editing.controller.js';
import { EventStreamsModule } from './event-streams/event-streams.module.js';
import { ExportsModule } from './exports/exports.module.js';
import { GatewayConsumers } from './gateway.consumers.js';
import { GrpcModule } from './grpc/grpc.module.js';
import { HttpModule } from './http/http.module.js';
import { OpenStreams } from './http/open-streams.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { InfoModule } from './info/info.module.js';
import { KeysModule } from './keys/keys.module.js';
import { LanguagesModule } from './languages/languages.module.js';
import { LiveModule } from './live/live.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { LegalHoldsModule } from './holds/legal-holds.controller.js';
import { LinksModule } from './links/links.module.js';
import { RecordingsModule } from './recordings/recordings.controller.js';
import { SearchModule } from './search/search.controller.js';
import { ServicePortsModule } from './service-ports.module.js';
import { SignupModule } from './signup/signup.module.js';
import { SpeakersModule } from './speakers/speakers.controller.js';
import { SummariesModule } from './summaries/summaries.controller.js';
import { TranslationsModule } from './translations/translations.controller.js';
import { EGRESS } from './transcriptions/egress.provider.js';
import { JobsModule } from './transcriptions/jobs.module.js';
import { TokensModule } from './tokens/tokens.module.js';
import { TranscriptionsModule } from './transcriptions/transcriptions.module.js';
import { TranscriptsModule } from './transcripts/transcripts.module.js';
import { UpkeepModule } from './upkeep.module.js';
import { Upkeep } from './upkeep.js';
import { StoredUploadsModule } from './uploads/stored/stored-uploads.module.js';
import { UsageModule } from './usage/usage.module.js';
import { VocabulariesModule } from './vocabularies/vocabularies.module.js';

const FEATURES = [
  TranscriptionsModule,
  BatchesModule,
  StoredUploadsModule,
  EventStreamsModule,
  LiveModule,
  TranscriptsModule,
  ExportsModule,
  EditingModule,
  SpeakersModule,
  RecordingsModule,
  LinksModule,
  SummariesModule,
  TranslationsModule,
  LanguagesModule,
  VocabulariesModule,
  SearchModule,
  ChatModule,
  DeliveriesModule,
  AccountEventsModule,
  KeysModule,
  TokensModule,
  ProjectsModule,
  SignupModule,
  AccountsModule,
  AccountExportsModule,
  LegalHoldsModule,
  UsageModule,
  AuditModule,
  InfoModule,
  DeepgramModule,
  OpenAiModule,
  AsrModule,
  AssemblyAiModule,
  DocsModule,
];

@Module({
  imports: [ServicePortsModule, HttpModule, IdempotencyModule, JobsModule, UpkeepModule, GrpcModule, ...FEATURES],
  providers: [GatewayConsumers],
})
export class GatewayModule implements OnModuleDestroy {
  constructor(
    @Inject(OpenStreams) private readonly streams: OpenStreams,
    @Inject(Upkeep) private readonly upkeep: Upkeep,
    @Inject(EGRESS) private readonly egress: Egress,
  ) {}

  async onModuleDestroy(): Promise<void> {
    this.streams.close();
    await this.upkeep.close();
    await this.egress.close();
  }
}
