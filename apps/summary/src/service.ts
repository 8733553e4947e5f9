import { summary } from '@parlance/contracts';
import type { ServiceManifest } from '@parlance/runtime';
import { summaryConfig } from './summary-config.js';
import { summaryConsumers, summaryFollowers } from './summary-consumers.js';
import type { SummaryParts } from './summary-parts.js';
import { SummaryModule } from './summary.module.js';
import { PARTS } from './tokens.js';

/** Summaries and highlights of completed transcripts. */
export const manifest: ServiceManifest<typeof summaryConfig> = {
  name: 'summary',
  config: summaryConfig,
  module: (context) => SummaryModule.from(context),
  grpc: { 'parlance.summary.v1.SummaryService': summary.SummaryServiceService },
  consumers: (app) => summaryConsumers(app.get<SummaryParts>(PARTS)),
  followers: (app) => summaryFollowers(app.get<SummaryParts>(PARTS)),
};
