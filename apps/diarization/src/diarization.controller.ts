import { Controller } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { diarization } from '@parlance/contracts';

@Controller()
export class DiarizationController {
  @GrpcMethod('DiarizationService', 'getEngine')
  getEngine(): diarization.GetEngineResponse {
    return { engine: { name: 'none', available: false, languages: [], detectsLanguage: false, vocabulary: false, wordTimes: false } };
  }
}
