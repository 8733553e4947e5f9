import { summary } from '@parlance/contracts';
import type { Consumer } from '@parlance/event-bus';
import type { ServiceManifest, UnavailableStages } from '@parlance/runtime';
import { SummaryModule, UNAVAILABLE_STAGES } from './summary.module.js';

/** Summaries and highlights of completed transcripts; without an engine so far. */
export const manifest: ServiceManifest<Record<never, never>> = {
  name: 'summary',
  config: {},
  module: (context) => SummaryModule.from(context),
  grpc: { 'parlance.summary.v1.SummaryService': summary.SummaryServiceService },
  consumers: (app) => consumers(app.get(UNAVAILABLE_STAGES)),
};

function consumers(stages: UnavailableStages): Consumer[] {
  const group = 'summary';
  return [
    { group, topic: 'parlance.transcripts.v1', handlers: { 'transcript.completed': ({ event }) => stages.inputReady(event.data) } },
    { group, topic: 'parlance.stages.v1', handlers: { 'stage.requested': ({ event }) => stages.requested(event.data) } },
    { group, topic: 'parlance.jobs.v1', handlers: { 'job.deleted': ({ event }) => stages.jobDeleted(event.data) } },
  ];
}
