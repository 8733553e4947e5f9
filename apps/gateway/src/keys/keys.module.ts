import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { type AppError, notFound, type Clock, type Logger, type Metrics } from '@parlance/platform';
import { CLOCK, CONFIG, LOGGER, METRICS } from '@parlance/runtime';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { Accounts } from '../accounts/accounts.js';
import type { GatewayConfig } from '../gateway.config.js';
import { ShareLinks } from '../links/share-links.js';
import { LimitsModule } from '../limits/limits.module.js';
import { ProjectStoreModule } from '../projects/project-store.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { AccessTokens } from './access-tokens.js';
import { ApiKeys } from './api-keys.js';
import { Authenticator } from './authenticator.js';
import { CallerKeys } from './caller-keys.js';
import { KeyEndings } from './key-endings.js';
import { KeyGuard } from './key-guard.js';
import { KeyUses } from './key-uses.js';
import { KeysController } from './keys.controller.js';
import { ProjectBoundary } from './project-boundary.js';
import { countWrongKeys, WrongKeys } from './wrong-keys.js';

/** Authenticates callers by their keys, and lets them manage these. */
@Module({
  imports: [AccountStoreModule, LimitsModule, ProjectStoreModule, UsageModule],
  controllers: [KeysController],
  providers: [
    {
      provide: WrongKeys,
      useFactory: (config: GatewayConfig, clock: Clock, metrics: Metrics) => new WrongKeys(config.WRONG_KEYS_PER_MINUTE, clock, countWrongKeys(metrics)),
      inject: [CONFIG, CLOCK, METRICS],
    },
    {
      provide: Authenticator,
      useFactory: (keys: ApiKeys, accounts: Accounts, clock: Clock, wrongKeys: WrongKeys, tokens: AccessTokens) => new Authenticator(keys, accounts, clock, wrongKeys, tokens),
      inject: [ApiKeys, Accounts, CLOCK, WrongKeys, AccessTokens],
    },
    {
      provide: KeyEndings,
      useFactory: (authenticator: Authenticator, links: ShareLinks, log: Logger) => new KeyEndings((id) => refusalOf(id, authenticator, links), log),
      inject: [Authenticator, ShareLinks, LOGGER],
    },
    CallerKeys,
    KeyUses,
    ProjectBoundary,
    { provide: APP_GUARD, useClass: KeyGuard },
  ],
  exports: [Authenticator, KeyEndings, KeyUses, WrongKeys],
})
export class KeysModule {}

/** @param id of a key, a token or a link */
async function refusalOf(id: string, authenticator: Authenticator, links: ShareLinks): Promise<AppError | undefined> {
  if (!id.startsWith('lnk_')) return authenticator.refusalOf(id);
  const link = await links.get(id);
  return !link || links.hasExpired(link) ? notFound('The link') : authenticator.refusalOf(link.keyId);
}
