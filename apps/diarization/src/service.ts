import { diarization } from '@parlance/contracts';
import type { Consumer } from '@parlance/event-bus';
import type { ServiceManifest, UnavailableStages } from '@parlance/runtime';
import { DiarizationModule, UNAVAILABLE_STAGES } from './diarization.module.js';

/** Finds out who spoke when, beside transcription; without an engine so far. */
export const manifest: ServiceManifest<Record<never, never>> = {
  name: 'diarization',
  config: {},
  module: (context) => DiarizationModule.from(context),
  grpc: { 'parlance.diarization.v1.DiarizationService': diarization.DiarizationServiceService },
  consumers: (app) => consumers(app.get(UNAVAILABLE_STAGES)),
};

function consumers(stages: UnavailableStages): Consumer[] {
  const group = 'diarization';
  return [
    { group, topic: 'parlance.media.v1', handlers: { 'media.ready': ({ event }) => stages.inputReady(event.data) } },
    { group, topic: 'parlance.stages.v1', handlers: { 'stage.requested': ({ event }) => stages.requested(event.data) } },
    { group, topic: 'parlance.jobs.v1', handlers: { 'job.deleted': ({ event }) => stages.jobDeleted(event.data) } },
  ];
}
