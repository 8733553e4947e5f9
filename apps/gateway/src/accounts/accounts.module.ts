import { Module } from '@nestjs/common';
import { AccountExportsModule } from '../account-exports/account-exports.module.js';
import { BatchStoreModule } from '../batches/batch-store.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { ProjectStoreModule } from '../projects/project-store.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { VocabularyStoreModule } from '../vocabularies/vocabulary-store.module.js';
import { AccountDeletions } from './account-deletions.js';
import { AccountEraser } from './account-eraser.js';
import { AccountLimits } from './account-limits.js';
import { AccountDataController } from '../grpc/account-data.controller.js';
import { AccountStoreModule } from './account-store.module.js';
import { AccountController } from './account.controller.js';

/** Accounts, and their deletion. */
@Module({
  imports: [AccountExportsModule, AccountStoreModule, BatchStoreModule, KeysModule, ProjectStoreModule, UploadsModule, UsageModule, VocabularyStoreModule],
  controllers: [AccountController],
  providers: [AccountDataController, AccountDeletions, AccountEraser, AccountLimits],
  exports: [AccountDataController, AccountEraser],
})
export class AccountsModule {}
