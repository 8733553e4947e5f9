import { DEFAULT_MODELS_MIRROR } from '@parlance/engines/local-models';
import { z } from 'zod';

/** Settings of parlance-admin alone. */
export const adminConfig = {
  MODELS_MIRROR: z
    .url({ protocol: /^https?$/, error: 'must be an http: or https: address' })
    .default(DEFAULT_MODELS_MIRROR)
    .describe('Base of the addresses from which parlance-admin models get downloads; a mirror of one’s own may have a private address'),
} as const;
