import { languageModelConfig } from '@parlance/engines';
import { integer, type ConfigOf } from '@parlance/platform';

export const summaryConfig = {
  ...languageModelConfig,
  SUMMARY_TIMEOUT_SECONDS: integer(1, 24 * 3600)
    .default(900)
    .describe('Seconds that one attempt at a summary, or at the highlights, may take; all attempts together must fit within STAGE_TIMEOUT_MINUTES'),
  SUMMARY_MAX_ATTEMPTS: integer(1, 20).default(3).describe('Attempts at a summary, or at the highlights, before the stage fails'),
  SUMMARY_CONCURRENCY: integer(1, 256).default(4).describe('Summaries made at the same time in this process, and as many highlights'),
  TRANSLATION_TIMEOUT_SECONDS: integer(1, 24 * 3600).default(3600).describe('Seconds that one attempt at a translation may take; what was translated until then is kept'),
} as const;

export type SummaryConfig = ConfigOf<typeof summaryConfig>;
