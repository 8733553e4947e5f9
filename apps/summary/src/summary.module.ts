import { Module, type DynamicModule } from '@nestjs/common';
import { UnavailableStages, type ServiceContext } from '@parlance/runtime';
import { SummaryController } from './summary.controller.js';
import { STAGES } from './summary-stages.js';

/** Injection token of what answers for this service's stages. */
export const UNAVAILABLE_STAGES = Symbol('UnavailableStages');

@Module({})
export class SummaryModule {
  static from({ name, documents, clock }: ServiceContext): DynamicModule {
    const stages = new UnavailableStages({ service: name, documents, clock, stages: STAGES, holds: 'summaries' });
    return {
      module: SummaryModule,
      controllers: [SummaryController],
      providers: [{ provide: UNAVAILABLE_STAGES, useValue: stages }],
    };
  }
}
