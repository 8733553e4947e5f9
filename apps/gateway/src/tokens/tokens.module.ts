import { Module } from '@nestjs/common';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { TokensController } from './tokens.controller.js';

/** Short-lived tokens for callers without a key. */
@Module({ imports: [AccountStoreModule, KeysModule, JobsModule, UploadsModule], controllers: [TokensController] })
export class TokensModule {}
