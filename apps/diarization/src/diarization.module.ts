import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { warnOfMissingEngine, type SpeakerDiarizer } from '@parlance/engines';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { DiarizationConsumers } from './diarization.consumers.js';
import { DiarizationController } from './grpc/diarization.controller.js';
import { RecordingDiarizer } from './speakers/recording-diarizer.js';
import { SPEAKER_DIARIZER, speakerDiarizer } from './speakers/speaker-diarizer.provider.js';
import { SpeakerLedger } from './speakers/speaker-ledger.js';
import { SpeakerMetrics } from './speakers/speaker-metrics.js';
import { SpeakerResults } from './speakers/speaker-results.js';
import { SpeakerStage } from './speakers/speaker-stage.js';
import { SpeakerStages } from './speakers/speaker-stages.js';

@Module({
  controllers: [DiarizationController],
  providers: [speakerDiarizer, SpeakerLedger, SpeakerMetrics, SpeakerResults, RecordingDiarizer, SpeakerStage, SpeakerStages, DiarizationConsumers],
})
export class DiarizationModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(SPEAKER_DIARIZER) private readonly diarizer: SpeakerDiarizer,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await warnOfMissingEngine(this.diarizer, this.log);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.diarizer.close();
  }
}
