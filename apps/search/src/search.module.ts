import { Module, type DynamicModule } from '@nestjs/common';
import { UnavailableStages, type ServiceContext } from '@parlance/runtime';
import { SearchController } from './search.controller.js';
import { STAGES } from './search-stages.js';

/** Injection token of what answers for this service's stages. */
export const UNAVAILABLE_STAGES = Symbol('UnavailableStages');

@Module({})
export class SearchModule {
  static from({ name, documents, clock }: ServiceContext): DynamicModule {
    const stages = new UnavailableStages({ service: name, documents, clock, stages: STAGES, holds: 'index_entries' });
    return {
      module: SearchModule,
      controllers: [SearchController],
      providers: [{ provide: UNAVAILABLE_STAGES, useValue: stages }],
    };
  }
}
