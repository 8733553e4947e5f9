import { summary } from '@parlance/contracts';
import { serve, type ServiceManifest } from '@parlance/runtime';
import { SummaryController } from './grpc/summary.controller.js';
import { summaryConfig } from './summary.config.js';
import { SummaryConsumers } from './summary.consumers.js';
import { SummaryModule } from './summary.module.js';

/** Summaries and highlights of completed transcripts. */
export const manifest: ServiceManifest<typeof summaryConfig> = {
  name: 'summary',
  config: summaryConfig,
  module: () => SummaryModule,
  serves: (app) => [serve(summary.SummaryServiceDefinition, app.get(SummaryController))],
  consumers: (app) => app.get(SummaryConsumers).consumers(),
  workers: (app) => app.get(SummaryConsumers).workers(),
};
