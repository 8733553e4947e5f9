import type { INestApplicationContext } from '@nestjs/common';
import { ingest } from '@parlance/contracts';
import type { ServiceManifest } from '@parlance/runtime';
import { ingestConfig, ingestProblems } from './config/ingest-config.js';
import { IngestModule } from './ingest-module.js';
import { INGEST, type Ingest } from './ingest.js';

const ingestOf = (app: INestApplicationContext): Ingest => app.get<Ingest>(INGEST);

/** Owns jobs: takes them, brings their media in, hears every stage, decides how they end. */
export const manifest: ServiceManifest<typeof ingestConfig> = {
  name: 'ingest',
  config: ingestConfig,
  configProblems: ingestProblems,
  module: (context) => IngestModule.from(context),
  grpc: { 'parlance.ingest.v1.JobService': ingest.JobServiceService },
  consumers: (app) => ingestOf(app).consumers,
  followers: (app) => ingestOf(app).followers,
};
