import { Inject, Module, type DynamicModule, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { warnOfMissingEngine } from '@parlance/engines';
import { createParts, type DiarizationContext, type DiarizationParts } from './diarization-parts.js';
import { DiarizationController } from './diarization.controller.js';
import { PARTS } from './tokens.js';

@Module({})
export class DiarizationModule implements OnApplicationBootstrap, OnApplicationShutdown {
  static from(context: DiarizationContext): DynamicModule {
    return {
      module: DiarizationModule,
      controllers: [DiarizationController],
      providers: [{ provide: PARTS, useValue: createParts(context) }],
    };
  }

  constructor(@Inject(PARTS) private readonly parts: DiarizationParts) {}

  async onApplicationBootstrap(): Promise<void> {
    await warnOfMissingEngine(this.parts.diarizer, this.parts.log);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.parts.diarizer.close();
  }
}
