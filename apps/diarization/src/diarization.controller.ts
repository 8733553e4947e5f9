import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { diarization } from '@parlance/contracts';
import type { DiarizationParts } from './diarization-parts.js';
import { PARTS } from './tokens.js';

@Controller()
export class DiarizationController {
  constructor(@Inject(PARTS) private readonly parts: DiarizationParts) {}

  /** The engines hear voices, not words: they take every language. */
  @GrpcMethod('DiarizationService', 'getEngine')
  async getEngine(): Promise<diarization.GetEngineResponse> {
    const { diarizer } = this.parts;
    const available = await diarizer.check().then(
      () => true,
      () => false,
    );
    return { engine: { name: diarizer.info.name, available, languages: [], detectsLanguage: false, vocabulary: false, wordTimes: false } };
  }
}
