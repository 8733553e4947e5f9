import { deletionConfig } from './accounts/deletion-config.js';
import { auditConfig } from './audit/audit-config.js';
import { cidrBlocks, egressConfig } from '@parlance/egress';
import { integer, secretsConfig, type ConfigOf } from '@parlance/platform';
import { z } from 'zod';
import { plansConfig } from './plans/index.js';
import { signupConfig } from './signup/signup-config.js';
import { anonymousKeyConfig } from './compat/compat-credentials.js';
import { compatRootsConfig } from './compat/compat-roots.js';
import { compatModelsConfig } from './compat/compat-models.js';
import { liveConfig } from './live/live-config.js';
import { limitsConfig } from './limits/limits-config.js';
import { corsConfig } from './http/cors.js';
import { connectionConfig } from './http/connection-limits.js';
import type { UploadLimits } from './uploads/upload-store.js';

/** The gateway's settings. */
export const gatewayConfig = {
  ...egressConfig,
  ...plansConfig,
  ...limitsConfig,
  ...liveConfig,
  ...connectionConfig,
  ...corsConfig,
  ...auditConfig,
  ...deletionConfig,
  ...compatModelsConfig,
  ...compatRootsConfig,
  ...anonymousKeyConfig,
  PORT: integer(0, 65_535).default(3000).describe('Port of the public HTTP server; 0 selects a free port'),
  HOST: z.string().default('127.0.0.1').describe('Address that the public HTTP server binds to; 0.0.0.0 means all'),
  HTTPS_CERT_FILE: z
    .string()
    .optional()
    .describe('File with the certificate of the public HTTP server in PEM, followed by its chain: PORT then accepts HTTPS only (TLS 1.2 or newer). A renewed file is used within 10 s, without a restart'),
  HTTPS_KEY_FILE: z.string().optional().describe('File with the private key of HTTPS_CERT_FILE in PEM'),
  PUBLIC_URL: z
    .string()
    .refine((text) => isPublicUrl(URL.parse(text)), 'must be an http or https URL without a query, such as https://parlance.example.org')
    .transform((text) => (text.endsWith('/') ? text.slice(0, -1) : text))
    .optional()
    .describe('URL under which clients reach the public HTTP server, such as https://parlance.example.org. It makes the types of problems and the URLs of links absolute. Default: types are relative, and links use the Host of the request, of which a warning is logged unless HOST is a loopback address'),
  HSTS_MAX_AGE_SECONDS: integer(0, 315_360_000)
    .optional()
    .describe('Seconds for which browsers use HTTPS only for this host (Strict-Transport-Security). Default: 31536000 with HTTPS_CERT_FILE; otherwise the header is not sent. Set it when an ingress terminates TLS'),
  BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{20,200}$/, 'must be 20 to 200 visible ASCII characters')
    .optional()
    .describe('API key that the first account gets at its creation; for deployments. A changed value adds a key: the old key works until it is revoked (DELETE /api/v1/keys/…)'),
  TRUSTED_PROXIES: cidrBlocks()
    .default([])
    .describe('Trusted proxy CIDR blocks, comma-separated. X-Forwarded-For from other peers is ignored. Empty: X-Forwarded-For is always ignored'),
  WRONG_KEYS_PER_MINUTE: integer(1, 100_000)
    .default(60)
    .describe('Wrong keys and tokens, apart from them wrong secrets of links, and apart from these wrong sign-up codes, per minute that one address (IPv4 address or IPv6 /64) may send to a process before it gets 429 for them; an IPv4 /24 or IPv6 /56 may send four times as many, an IPv6 /48 sixteen times as many. Right keys, tokens and links are let in nevertheless; codes are not looked at then'),
  ...secretsConfig,
  ...signupConfig,
  MEDIA_MAX_BYTES: integer(1)
    .default(5 * 1024 ** 3)
    .describe('Largest media file that is accepted, in bytes (5 GiB)'),
  UPLOAD_MIN_BYTES_PER_SECOND: integer(1)
    .default(10_000)
    .describe('Minimum average speed of an upload, after a grace period of one minute: 5 GiB may take six days. An upload that receives no bytes is refused much sooner'),
  UPLOAD_STALL_SECONDS: integer(1, 80).default(30).describe('Seconds without a byte after which an upload is refused; also the time limit for a JSON body'),
  DIRECT_UPLOADS: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true: clients may send uploads straight to the S3 bucket, by presigned URLs of its endpoint, which they must be able to reach. Only with MEDIA_URL=s3://…'),
  UPLOAD_EXPIRY_HOURS: integer(1, 8760).default(24).describe('Hours after which an upload is removed when nothing arrived for it and no job was created from it. Jobs that were created from it keep their media'),
} as const;

const isPublicUrl = (url: URL | null): boolean => (url?.protocol === 'https:' || url?.protocol === 'http:') && url.search === '' && url.hash === '' && url.username === '';

const UPLOAD_START_MS = 60_000;

export type GatewayConfig = ConfigOf<typeof gatewayConfig>;

export const uploadLimits = (config: GatewayConfig): UploadLimits => ({
  maxBytes: config.MEDIA_MAX_BYTES,
  pace: { startMs: UPLOAD_START_MS, minBytesPerSecond: config.UPLOAD_MIN_BYTES_PER_SECOND, stallMs: config.UPLOAD_STALL_SECONDS * 1000 },
});
