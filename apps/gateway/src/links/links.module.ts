import { Module, type Provider } from '@nestjs/common';
import type { Clock, Metrics } from '@parlance/platform';
import { CLOCK, CONFIG, METRICS } from '@parlance/runtime';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { KeysModule } from '../keys/keys.module.js';
import type { GatewayConfig } from '../gateway.config.js';
import { countWrongLinks, WrongLinks } from '../keys/wrong-keys.js';
import { LimitsModule } from '../limits/limits.module.js';
import { RecordingsModule } from '../recordings/recordings.controller.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { TranscriptsModule } from '../transcripts/transcripts.module.js';
import { LinkAccess } from './link-access.js';
import { LinksController } from './links.controller.js';

const wrongLinks: Provider = {
  provide: WrongLinks,
  useFactory: (config: GatewayConfig, clock: Clock, metrics: Metrics) => new WrongLinks(config.WRONG_KEYS_PER_MINUTE, clock, countWrongLinks(metrics), 'links'),
  inject: [CONFIG, CLOCK, METRICS],
};

/** Links that open a content of a job without a key. */
@Module({ imports: [AccountStoreModule, KeysModule, LimitsModule, JobsModule, RecordingsModule, TranscriptsModule], controllers: [LinksController], providers: [wrongLinks, LinkAccess] })
export class LinksModule {}
