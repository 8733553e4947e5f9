import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { SummaryController } from './grpc/summary.controller.js';
import { createParts, type SummaryContext, type SummaryParts } from './summary-parts.js';
import { PARTS } from './tokens.js';

@Module({})
export class SummaryModule implements OnApplicationShutdown {
  static from(context: SummaryContext): DynamicModule {
    return { module: SummaryModule, controllers: [SummaryController], providers: [{ provide: PARTS, useValue: createParts(context) }] };
  }

  constructor(@Inject(PARTS) private readonly parts: SummaryParts) {}

  async onApplicationShutdown(): Promise<void> {
    await this.parts.engine.close();
  }
}
