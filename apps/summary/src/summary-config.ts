import { languageModelConfig } from '@parlance/engines';
import { integer } from '@parlance/platform';

export const summaryConfig = {
  ...languageModelConfig,
  SUMMARY_TIMEOUT_SECONDS: integer(1, 24 * 3600)
    .default(900)
    .describe('Seconds that one try of a summary, or of the highlights, may take; all tries together must be within STAGE_TIMEOUT_MINUTES'),
  SUMMARY_MAX_ATTEMPTS: integer(1, 20).default(3).describe('Tries of a summary, or of the highlights, before the stage fails'),
  SUMMARY_CONCURRENCY: integer(1, 256).default(4).describe('Jobs summarised at once in this process, of one account half of that'),
} as const;
