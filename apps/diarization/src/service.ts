import { diarization } from '@parlance/contracts';
import { serve, type ServiceManifest } from '@parlance/runtime';
import { diarizationConfig } from './diarization.config.js';
import { DiarizationConsumers } from './diarization.consumers.js';
import { DiarizationModule } from './diarization.module.js';
import { DiarizationController } from './grpc/diarization.controller.js';

/** Finds out who spoke when, beside transcription. */
export const manifest: ServiceManifest<typeof diarizationConfig> = {
  name: 'diarization',
  usesMedia: true,
  config: diarizationConfig,
  module: () => DiarizationModule,
  serves: (app) => [serve(diarization.DiarizationServiceDefinition, app.get(DiarizationController))],
  consumers: (app) => app.get(DiarizationConsumers).consumers(),
  workers: (app) => app.get(DiarizationConsumers).workers(),
};
