import type { ConfigOf } from '@parlance/platform';
import { grpcConfig, processConfig } from '@parlance/runtime/process';
import { ingestConfig, mediaDecoderToken } from '../../ingest.config.js';

const { GRPC_LISTEN, GRPC_TLS_CERT, GRPC_TLS_KEY, GRPC_TLS_CA, GRPC_TLS_SERVER_NAME, GRPC_KEEPALIVE_SECONDS, GRPC_CONNECTION_AGE_SECONDS } = grpcConfig;
const { PARLANCE_DATA, SCRATCH_FOLDER, HEALTH_PORT, HEALTH_HOST, LOG_LEVEL, SHUTDOWN_GRACE_SECONDS, REQUIRE_TLS } = processConfig;
const { CLIP_CONCURRENCY, DECODE_CONCURRENCY, DECODE_TIMEOUT_MINUTES, LIVE_DECODERS, MEDIA_MAX_BYTES, MEDIA_SANDBOX } = ingestConfig;

/** All that `media-decoder` reads: it has no database, no bus, no store, and no other secret. */
export const mediaDecoderConfig = {
  MEDIA_DECODER_TOKEN: mediaDecoderToken.describe('Secret that calls must send, the same as in ingest; best as MEDIA_DECODER_TOKEN_FILE'),
  DECODE_CONCURRENCY: DECODE_CONCURRENCY.describe('Runs of ffmpeg and ffprobe at the same time in one process; the scratch folder needs MEDIA_MAX_BYTES for each'),
  CLIP_CONCURRENCY: CLIP_CONCURRENCY.describe('Clips cut at the same time in one process, besides the runs of jobs; the scratch folder needs MEDIA_MAX_BYTES for each'),
  LIVE_DECODERS: LIVE_DECODERS.describe('Live sessions decoded at the same time in one process; a further one is refused. Each takes 10 MB and a hundredth of a core, and 96 MB at most. When empty, as many as fit into a quarter of the memory, 16 a core at most'),
  DECODE_TIMEOUT_MINUTES: DECODE_TIMEOUT_MINUTES.describe('Minutes that one run may take'),
  MEDIA_MAX_BYTES,
  MEDIA_SANDBOX,
  PARLANCE_DATA: PARLANCE_DATA.describe('Folder for scratch files'),
  SCRATCH_FOLDER,
  GRPC_LISTEN,
  GRPC_TLS_CERT,
  GRPC_TLS_KEY,
  GRPC_TLS_CA,
  GRPC_TLS_SERVER_NAME,
  GRPC_KEEPALIVE_SECONDS,
  GRPC_CONNECTION_AGE_SECONDS,
  HEALTH_PORT,
  HEALTH_HOST,
  LOG_LEVEL,
  SHUTDOWN_GRACE_SECONDS,
  REQUIRE_TLS: REQUIRE_TLS.describe('true: the process refuses to start when other machines can call it without mutual TLS'),
} as const;

export type MediaDecoderConfig = ConfigOf<typeof mediaDecoderConfig>;
