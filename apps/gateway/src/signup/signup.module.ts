import { randomInt } from 'node:crypto';
import { Module } from '@nestjs/common';
import type { Clock, Metrics } from '@parlance/platform';
import { CLOCK, CONFIG, METRICS, SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { Accounts } from '../accounts/accounts.js';
import type { GatewayConfig } from '../gateway.config.js';
import { KeysModule } from '../keys/keys.module.js';
import { countWrongCodes, WrongCodes } from '../keys/wrong-keys.js';
import { Plans } from '../plans/index.js';
import { createSignup } from './create-signup.js';
import type { signupConfig } from './signup-config.js';
import { Signup } from './signup.js';
import { SignupController } from './signup.controller.js';

@Module({
  imports: [AccountStoreModule, KeysModule],
  controllers: [SignupController],
  providers: [
    {
      provide: Signup,
      useFactory: (context: ServiceContext<typeof signupConfig>, accounts: Accounts, plans: Plans) => createSignup(context, { accounts, plans }, randomInt),
      inject: [SERVICE_CONTEXT, Accounts, Plans],
    },
    {
      provide: WrongCodes,
      useFactory: (config: GatewayConfig, clock: Clock, metrics: Metrics) => new WrongCodes(config.WRONG_KEYS_PER_MINUTE, clock, countWrongCodes(metrics), 'codes'),
      inject: [CONFIG, CLOCK, METRICS],
    },
  ],
  exports: [Signup],
})
export class SignupModule {}
