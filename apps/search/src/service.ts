import { search } from '@parlance/contracts';
import type { Consumer } from '@parlance/event-bus';
import type { ServiceManifest, UnavailableStages } from '@parlance/runtime';
import { SearchModule, UNAVAILABLE_STAGES } from './search.module.js';

/** Makes completed transcripts searchable; without an index so far. */
export const manifest: ServiceManifest<Record<never, never>> = {
  name: 'search',
  config: {},
  module: (context) => SearchModule.from(context),
  grpc: { 'parlance.search.v1.SearchService': search.SearchServiceService },
  consumers: (app) => consumers(app.get(UNAVAILABLE_STAGES)),
};

function consumers(stages: UnavailableStages): Consumer[] {
  const group = 'search';
  return [
    { group, topic: 'parlance.transcripts.v1', handlers: { 'transcript.completed': ({ event }) => stages.inputReady(event.data) } },
    { group, topic: 'parlance.stages.v1', handlers: { 'stage.requested': ({ event }) => stages.requested(event.data) } },
    { group, topic: 'parlance.jobs.v1', handlers: { 'job.deleted': ({ event }) => stages.jobDeleted(event.data) } },
  ];
}
