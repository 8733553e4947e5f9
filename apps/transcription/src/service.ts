import { live, transcription } from '@parlance/contracts';
import { serve, type ServiceManifest } from '@parlance/runtime';
import { ChunksController } from './grpc/chunks.controller.js';
import { EditingController } from './grpc/editing.controller.js';
import { EnginesController } from './grpc/engines.controller.js';
import { ReadingController } from './grpc/reading.controller.js';
import { SpeakersController } from './grpc/speakers.controller.js';
import { TranscriptController } from './grpc/transcript.controller.js';
import { LiveController } from './live/live.controller.js';
import { transcriptionConfig } from './transcription.config.js';
import { TranscriptionConsumers } from './transcription.consumers.js';
import { TranscriptionModule } from './transcription.module.js';

/** Turns chunks of audio into transcripts and renders them. */
export const manifest: ServiceManifest<typeof transcriptionConfig> = {
  name: 'transcription',
  usesMedia: true,
  config: transcriptionConfig,
  module: () => TranscriptionModule,
  serves: (app) => [
    serve(transcription.TranscriptServiceDefinition, app.get(TranscriptController), app.get(ChunksController), app.get(EnginesController), app.get(ReadingController), app.get(SpeakersController), app.get(EditingController)),
    serve(live.LiveServiceDefinition, app.get(LiveController)),
  ],
  consumers: (app) => app.get(TranscriptionConsumers).consumers(),
  workers: (app) => app.get(TranscriptionConsumers).workers(),
};
