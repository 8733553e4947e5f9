import { DEFAULT_MODELS_MIRROR } from '@parlance/engines/local-models';
import { z } from 'zod';

/** Settings of parlance-admin alone. */
export const adminConfig = {
  BACKUP_KEY: z.string().optional().describe('age keys that parlance-admin backup encrypts for (age1…) or decrypts with (AGE-SECRET-KEY-1…)'),
  MODELS_MIRROR: z
    .url({ protocol: /^https?$/, error: 'must be an http: or https: address' })
    .default(DEFAULT_MODELS_MIRROR)
    .describe('Base URL from which parlance-admin models get downloads; your own mirror may have a private address'),
} as const;
