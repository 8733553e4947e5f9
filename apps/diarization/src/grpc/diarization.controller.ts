import { Controller, Inject } from '@nestjs/common';
import type { diarization, DiarizationService } from '@parlance/contracts';
import type { SpeakerDiarizer } from '@parlance/engines';
import { SPEAKER_DIARIZER } from '../speakers/speaker-diarizer.provider.js';

@Controller()
export class DiarizationController implements DiarizationService {
  constructor(@Inject(SPEAKER_DIARIZER) private readonly diarizer: SpeakerDiarizer) {}

  /** Diarization compares voices and reads no words, so the engines accept every language. */
  async getEngine(): Promise<diarization.GetEngineResponse> {
    const available = await this.diarizer.check().then(
      () => true,
      () => false,
    );
    return { engine: { name: this.diarizer.info.name, available, languages: [], detectsLanguage: false, vocabulary: false, wordTimes: false } };
  }
}
