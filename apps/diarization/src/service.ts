import { diarization } from '@parlance/contracts';
import type { ServiceManifest } from '@parlance/runtime';
import { diarizationConfig } from './diarization-config.js';
import { diarizationConsumers, diarizationFollowers } from './diarization-consumers.js';
import type { DiarizationParts } from './diarization-parts.js';
import { DiarizationModule } from './diarization.module.js';
import { PARTS } from './tokens.js';

/** Finds out who spoke when, beside transcription. */
export const manifest: ServiceManifest<typeof diarizationConfig> = {
  name: 'diarization',
  config: diarizationConfig,
  module: (context) => DiarizationModule.from(context),
  grpc: { 'parlance.diarization.v1.DiarizationService': diarization.DiarizationServiceService },
  consumers: (app) => diarizationConsumers(app.get<DiarizationParts>(PARTS)),
  followers: (app) => diarizationFollowers(app.get<DiarizationParts>(PARTS)),
};
