import { Controller } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { search } from '@parlance/contracts';

@Controller()
export class SearchController {
  @GrpcMethod('SearchService', 'getEngine')
  getEngine(): search.GetEngineResponse {
    return { engine: { name: 'none', available: false, languages: [], detectsLanguage: false, vocabulary: false, wordTimes: false } };
  }
}
