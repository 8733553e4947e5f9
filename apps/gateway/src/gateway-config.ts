import { cidrBlocks, egressConfig } from '@parlance/egress';
import { integer, type ConfigOf } from '@parlance/platform';
import { z } from 'zod';
import { plansConfig } from './plans/index.js';
import { signupConfig } from './signup/signup-config.js';
import { limitsConfig } from './limits/limits-config.js';
import type { UploadLimits } from './uploads/upload-store.js';

/** What the gateway reads from the environment. */
export const gatewayConfig = {
  ...egressConfig,
  ...plansConfig,
  ...limitsConfig,
  PORT: integer(0, 65_535).default(3000).describe('Port of the public HTTP server; 0 takes a free one'),
  HOST: z.string().default('127.0.0.1').describe('Address the public HTTP server is bound to; 0.0.0.0 for all'),
  BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{20,200}$/, 'must be 20 to 200 visible ASCII characters')
    .optional()
    .describe('A key that the first account has from the start; for deployments. One that replaces it comes beside it: the old key works until it is revoked (DELETE /api/v1/keys/…)'),
  TRUSTED_PROXIES: cidrBlocks()
    .default([])
    .describe('CIDR blocks of the proxies before the gateway, commas between: what X-Forwarded-For of these says of a caller’s address is believed. Empty: nobody’s'),
  WRONG_KEYS_PER_MINUTE: integer(1, 100_000)
    .default(60)
    .describe('Wrong keys that one address (of IPv6: one /64) may send to a process in a minute; keys that were right in the last hour go on'),
  ...signupConfig,
  MEDIA_MAX_BYTES: integer(1)
    .default(5 * 1024 ** 3)
    .describe('Largest media file that is taken, bytes (5 GiB)'),
  UPLOAD_MIN_BYTES_PER_SECOND: integer(1)
    .default(10_000)
    .describe('Slowest that an upload may be on the whole, beside a minute for its start: 5 GiB may take six days. One that stands still ends much sooner'),
  UPLOAD_STALL_SECONDS: integer(1, 80).default(30).describe('Seconds without a byte after which an upload is refused, and in which a JSON body must have arrived'),
} as const;

const UPLOAD_START_MS = 60_000;

export const uploadLimits = (config: ConfigOf<typeof gatewayConfig>): UploadLimits => ({
  maxBytes: config.MEDIA_MAX_BYTES,
  pace: { startMs: UPLOAD_START_MS, minBytesPerSecond: config.UPLOAD_MIN_BYTES_PER_SECOND, stallMs: config.UPLOAD_STALL_SECONDS * 1000 },
});
