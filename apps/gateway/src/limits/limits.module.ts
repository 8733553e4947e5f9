import { Module } from '@nestjs/common';
import { SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import type { gatewayConfig } from '../gateway.config.js';
import { AccountPlans } from '../plans/index.js';
import { createRequestRates, ratesOfPlans, RequestRates } from './request-rates.js';

/** The rate limits of keys and accounts. */
@Module({
  imports: [AccountStoreModule],
  providers: [
    {
      provide: RequestRates,
      useFactory: (context: ServiceContext<typeof gatewayConfig>, plans: AccountPlans) => createRequestRates(context, ratesOfPlans(context.config, plans)),
      inject: [SERVICE_CONTEXT, AccountPlans],
    },
  ],
  exports: [RequestRates],
})
export class LimitsModule {}
