import { Module } from '@nestjs/common';
import { AccountStoreModule } from '../../accounts/account-store.module.js';
import { HoldCheckModule } from '../../holds/hold-check.js';
import { LiveEvents } from './live-events.js';
import { LiveFeed } from './live-feed.js';
import { LiveRecords } from './live-records.js';
import { LiveSessions } from './live-sessions.js';
import { LiveTokens } from './live-tokens.js';

/** Sessions and their messages alone, also for the erasure of jobs. */
@Module({ imports: [AccountStoreModule, HoldCheckModule], providers: [LiveEvents, LiveFeed, LiveRecords, LiveSessions, LiveTokens], exports: [LiveEvents, LiveFeed, LiveRecords, LiveSessions] })
export class LiveStoreModule {}
