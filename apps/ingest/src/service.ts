import type { INestApplicationContext } from '@nestjs/common';
import { ingest } from '@parlance/contracts';
import { serve, type ServiceManifest } from '@parlance/runtime';
import { ingestConfig, ingestProblems } from './config/ingest-config.js';
import type { OpenedMediaDecoder } from './media/decoder/open-media-decoder.js';
import { JobController } from './grpc/job-controller.js';
import { IngestModule, MEDIA_DECODER } from './ingest-module.js';
import { INGEST, type Ingest } from './ingest.js';

const ingestOf = (app: INestApplicationContext): Ingest => app.get<Ingest>(INGEST);

/** Owns jobs: takes them, brings their media in, hears every stage, decides how they end. */
export const manifest: ServiceManifest<typeof ingestConfig> = {
  name: 'ingest',
  usesMedia: true,
  config: ingestConfig,
  configProblems: ingestProblems,
  module: (context) => IngestModule.from(context),
  serves: (app) => [serve(ingest.JobServiceDefinition, app.get(JobController))],
  consumers: (app) => ingestOf(app).consumers,
  workers: (app) => ingestOf(app).workers,
  healthDetails: (app) => ({ media_sandbox: app.get<OpenedMediaDecoder>(MEDIA_DECODER).level ?? 'remote' }),
};
