import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import type { Clock, IdGenerator, Logger } from '@parlance/platform';
import { CLOCK, CONFIG, DOCUMENTS, ID_GENERATOR, LOGGER } from '@parlance/runtime';
import type { DocumentDatabase } from '@parlance/storage';
import type { GatewayConfig } from '../gateway.config.js';
import { AccessTokens } from '../keys/access-tokens.js';
import type { RandomBytes } from '../keys/api-key-format.js';
import { ApiKeys } from '../keys/api-keys.js';
import { RANDOM_BYTES } from '../keys/random-bytes.js';
import { ShareLinks } from '../links/share-links.js';
import { AccountPlans, Plans, RetentionRules, retentionSettings } from '../plans/index.js';
import { Accounts } from './accounts.js';

/** Accounts with their keys, links and plans. */
@Module({
  providers: [
    { provide: RANDOM_BYTES, useValue: ((length) => randomBytes(length)) satisfies RandomBytes },
    { provide: Plans, useFactory: (config: GatewayConfig, log: Logger) => Plans.from(config, log), inject: [CONFIG, LOGGER] },
    {
      provide: ApiKeys,
      useFactory: (documents: DocumentDatabase, clock: Clock, ids: IdGenerator, random: RandomBytes) => new ApiKeys(documents, clock, ids, random),
      inject: [DOCUMENTS, CLOCK, ID_GENERATOR, RANDOM_BYTES],
    },
    AccessTokens,
    ShareLinks,
    Accounts,
    { provide: AccountPlans, useFactory: (accounts: Accounts, plans: Plans) => new AccountPlans(accounts, plans), inject: [Accounts, Plans] },
    {
      provide: RetentionRules,
      useFactory: (accounts: Accounts, plans: AccountPlans, config: GatewayConfig) => new RetentionRules(accounts, plans, retentionSettings(config)),
      inject: [Accounts, AccountPlans, CONFIG],
    },
  ],
  exports: [RANDOM_BYTES, Plans, ApiKeys, AccessTokens, ShareLinks, Accounts, AccountPlans, RetentionRules],
})
export class AccountStoreModule {}
