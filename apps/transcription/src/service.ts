import { transcription } from '@parlance/contracts';
import type { ServiceManifest } from '@parlance/runtime';
import { PARTS } from './tokens.js';
import { transcriptionConfig } from './transcription-config.js';
import { transcriptionConsumers, transcriptionFollowers } from './transcription-consumers.js';
import type { TranscriptionParts } from './transcription-parts.js';
import { TranscriptionModule } from './transcription.module.js';

/** Turns chunks of audio into transcripts and renders them. */
export const manifest: ServiceManifest<typeof transcriptionConfig> = {
  name: 'transcription',
  config: transcriptionConfig,
  module: (context) => TranscriptionModule.register(context),
  grpc: { 'parlance.transcription.v1.TranscriptService': transcription.TranscriptServiceService },
  consumers: (app) => transcriptionConsumers(app.get<TranscriptionParts>(PARTS)),
  followers: (app) => transcriptionFollowers(app.get<TranscriptionParts>(PARTS)),
};
