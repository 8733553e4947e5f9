import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { CONFIG } from '@parlance/runtime';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import type { GatewayConfig } from '../gateway.config.js';
import { KeyEndings } from '../keys/key-endings.js';
import { KeysModule } from '../keys/keys.module.js';
import { streamLimitsOfPlans } from '../limits/request-rates.js';
import { AccountPlans } from '../plans/index.js';
import { OpenStreams } from './open-streams.js';
import { ProbesController } from './probes.controller.js';
import { ProblemFilter } from './problem-filter.js';
import { StreamSlots } from './stream-slots.js';

/** The parts that all routes share: problems as answers, answers that stay open, probes. */
@Module({
  imports: [AccountStoreModule, KeysModule],
  controllers: [ProbesController],
  providers: [
    { provide: APP_FILTER, useClass: ProblemFilter },
    {
      provide: OpenStreams,
      useFactory: (keys: KeyEndings, config: GatewayConfig, plans: AccountPlans) => new OpenStreams(keys, new StreamSlots(streamLimitsOfPlans(config, plans))),
      inject: [KeyEndings, CONFIG, AccountPlans],
    },
  ],
  exports: [OpenStreams],
})
export class HttpModule {}
