import { Module, type DynamicModule } from '@nestjs/common';
import { UnavailableStages, type ServiceContext } from '@parlance/runtime';
import { DiarizationController } from './diarization.controller.js';
import { STAGES } from './diarization-stages.js';

/** Injection token of what answers for this service's stages. */
export const UNAVAILABLE_STAGES = Symbol('UnavailableStages');

@Module({})
export class DiarizationModule {
  static from({ name, documents, clock }: ServiceContext): DynamicModule {
    const stages = new UnavailableStages({ service: name, documents, clock, stages: STAGES, holds: 'speakers' });
    return {
      module: DiarizationModule,
      controllers: [DiarizationController],
      providers: [{ provide: UNAVAILABLE_STAGES, useValue: stages }],
    };
  }
}
