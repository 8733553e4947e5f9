import { Module } from '@nestjs/common';
import type { JobService } from '@parlance/contracts';
import type { Logger } from '@parlance/platform';
import { JOB_SERVICE, LOGGER } from '@parlance/runtime';
import { AccountExportsModule } from './account-exports/account-exports.module.js';
import { ExportWorker } from './account-exports/export-worker.js';
import { AccountEraser } from './accounts/account-eraser.js';
import { AccountStoreModule } from './accounts/account-store.module.js';
import { AccountsModule } from './accounts/accounts.module.js';
import { AuditRetention } from './audit/audit-retention.js';
import { AuditStoreModule } from './audit/audit-store.module.js';
import { BatchRecords } from './batches/batch-records.js';
import { BatchStoreModule } from './batches/batch-store.module.js';
import { BatchWorker } from './batches/batch-worker.js';
import { BatchesModule } from './batches/batches.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { Idempotency } from './idempotency/idempotency.js';
import { AccessTokens } from './keys/access-tokens.js';
import { ApiKeys } from './keys/api-keys.js';
import { KeyUses } from './keys/key-uses.js';
import { KeysModule } from './keys/keys.module.js';
import { ShareLinks } from './links/share-links.js';
import { LiveRecords } from './live/session/live-records.js';
import { LiveStoreModule } from './live/session/live-store.module.js';
import { SignupModule } from './signup/signup.module.js';
import { Signup } from './signup/signup.js';
import { Upkeep } from './upkeep.js';
import { UploadRecords } from './uploads/stored/upload-records.js';
import { UploadStore } from './uploads/upload-store.js';
import { UploadsModule } from './uploads/uploads.module.js';
import { KeyBudgets } from './usage/key-budgets.js';
import { UsageModule } from './usage/usage.module.js';

@Module({
  imports: [AccountExportsModule, AccountsModule, AccountStoreModule, AuditStoreModule, BatchesModule, BatchStoreModule, IdempotencyModule, KeysModule, LiveStoreModule, SignupModule, UploadsModule, UsageModule],
  providers: [
    {
      provide: Upkeep,
      useFactory: (idempotency: Idempotency, uploads: UploadStore, records: UploadRecords, uses: KeyUses, signup: Signup, keys: ApiKeys, tokens: AccessTokens, links: ShareLinks, batches: BatchRecords, batchWorker: BatchWorker, budgets: KeyBudgets, live: LiveRecords, audit: AuditRetention, erasures: AccountEraser, exports: ExportWorker, jobs: JobService, log: Logger) =>
        new Upkeep(idempotency, uploads, uses, [signup, tokens, links, records, batches, batchWorker, { sweep: () => uses.sweep(keys) }, budgets, live, audit, erasures, exports], jobs, log),
      inject: [Idempotency, UploadStore, UploadRecords, KeyUses, Signup, ApiKeys, AccessTokens, ShareLinks, BatchRecords, BatchWorker, KeyBudgets, LiveRecords, AuditRetention, AccountEraser, ExportWorker, JOB_SERVICE, LOGGER],
    },
  ],
  exports: [Upkeep],
})
export class UpkeepModule {}
