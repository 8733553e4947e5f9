import { egressConfig } from '@parlance/egress';
import { integer } from '@parlance/platform';
import { z } from 'zod';

/** What the gateway reads from the environment. */
export const gatewayConfig = {
  ...egressConfig,
  PORT: integer(0, 65_535).default(3000).describe('Port of the public HTTP server; 0 takes a free one'),
  HOST: z.string().default('127.0.0.1').describe('Address the public HTTP server is bound to; 0.0.0.0 for all'),
  BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{20,200}$/, 'must be 20 to 200 visible ASCII characters')
    .optional()
    .describe('A key that the first account has from the start; for deployments. One that replaces it comes beside it: the old key works until it is revoked (DELETE /api/v1/keys/…)'),
  MEDIA_MAX_BYTES: integer(1)
    .default(5 * 1024 ** 3)
    .describe('Largest media file that is taken, bytes (5 GiB)'),
  UPLOAD_TIMEOUT_MINUTES: integer(1, 24 * 60)
    .default(6 * 60)
    .describe('Minutes that one upload may take; one that stands still for 90 seconds ends at once'),
} as const;
