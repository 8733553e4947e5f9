import { accountWork, ingest, liveMedia } from '@parlance/contracts';
import { serve, type ServiceManifest } from '@parlance/runtime';
import { AccountWorkController } from './accounts/account-work.controller.js';
import { JobController } from './grpc/job.controller.js';
import { ingestConfig, ingestProblems } from './ingest.config.js';
import { IngestConsumers } from './ingest.consumers.js';
import { IngestModule } from './ingest.module.js';
import type { OpenedMediaDecoder } from './media/decoder/open-media-decoder.js';
import { LiveMedia } from './media/live/live-media.js';
import { MEDIA_DECODER } from './media/media.providers.js';

/** Owns jobs: accepts them, fetches and decodes their media, receives the reports of every stage, and decides how they end. */
export const manifest: ServiceManifest<typeof ingestConfig> = {
  name: 'ingest',
  usesMedia: true,
  config: ingestConfig,
  configProblems: ingestProblems,
  module: () => IngestModule,
  serves: (app) => [serve(ingest.JobServiceDefinition, app.get(JobController)), serve(liveMedia.LiveMediaServiceDefinition, app.get(LiveMedia)), serve(accountWork.AccountWorkServiceDefinition, app.get(AccountWorkController))],
  consumers: (app) => app.get(IngestConsumers).consumers(),
  workers: (app) => app.get(IngestConsumers).workers(),
  healthDetails: (app) => ({ media_sandbox: app.get<OpenedMediaDecoder>(MEDIA_DECODER).level ?? 'remote' }),
};
