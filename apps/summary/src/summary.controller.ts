import { Controller } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { summary } from '@parlance/contracts';

@Controller()
export class SummaryController {
  @GrpcMethod('SummaryService', 'getEngine')
  getEngine(): summary.GetEngineResponse {
    return { engine: { name: 'none', available: false, languages: [], detectsLanguage: false, vocabulary: false, wordTimes: false } };
  }
}
