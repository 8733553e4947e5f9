import { Module } from '@nestjs/common';
import type { JobService } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS, JOB_SERVICE } from '@parlance/runtime';
import type { DocumentDatabase } from '@parlance/storage';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { AccountPlans } from '../plans/index.js';
import { askForEnd } from './job-end.js';
import { KeyBudgets } from './key-budgets.js';
import { Quota } from './quota.js';
import { UsageLedger } from './usage-ledger.js';
import { UsageController } from './usage.controller.js';

/** The seconds that accounts have used, and those that they may use. */
@Module({
  imports: [AccountStoreModule],
  controllers: [UsageController],
  providers: [
    { provide: UsageLedger, useFactory: (documents: DocumentDatabase) => new UsageLedger(documents), inject: [DOCUMENTS] },
    {
      provide: Quota,
      useFactory: (ledger: UsageLedger, plans: AccountPlans, clock: Clock, jobs: JobService) => new Quota(ledger, plans, clock, askForEnd(jobs)),
      inject: [UsageLedger, AccountPlans, CLOCK, JOB_SERVICE],
    },
    KeyBudgets,
  ],
  exports: [UsageLedger, Quota, KeyBudgets],
})
export class UsageModule {}
