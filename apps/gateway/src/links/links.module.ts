import { Module } from '@nestjs/common';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { RecordingsModule } from '../recordings/recordings.controller.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { TranscriptsModule } from '../transcripts/transcripts.module.js';
import { LinkAccess } from './link-access.js';
import { LinksController } from './links.controller.js';

/** Links that open a content of a job without a key. */
@Module({ imports: [AccountStoreModule, KeysModule, LimitsModule, JobsModule, RecordingsModule, TranscriptsModule], controllers: [LinksController], providers: [LinkAccess] })
export class LinksModule {}
