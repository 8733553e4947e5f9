import { statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { egressConfig } from '@parlance/egress';
import { integer, secretsConfig, type ConfigOf } from '@parlance/platform';
import type { GrpcConfig } from '@parlance/runtime';
import { z } from 'zod';
import { SANDBOX_MODES } from './media/isolation-level.js';

export const mediaDecoderToken = z.string({ error: 'missing' }).regex(/^[\x21-\x7e]{20,200}$/, 'must be 20 to 200 visible ASCII characters');

/** Settings of ingest. */
export const ingestConfig = {
  ...egressConfig,
  ...secretsConfig,
  ERASURE_LOG: z.string().optional().describe('File outside of PARLANCE_DATA to which each erasure of a job is appended, for parlance-admin backup restore. Only one process may write it'),
  MEDIA_MAX_BYTES: integer(1)
    .default(5 * 1024 ** 3)
    .describe('Largest media file that is accepted, in bytes (5 GiB)'),
  MEDIA_MAX_DURATION_SECONDS: integer(1)
    .default(12 * 60 * 60)
    .describe('Longest media that is accepted, in seconds (12 h)'),
  MEDIA_SILENCE_SECONDS: integer(1, 3600).default(60).describe('Seconds without a byte, over all attempts, after which the download of a media file is given up'),
  MEDIA_FETCH_SECONDS: integer(1, 24 * 60 * 60).default(600).describe('Seconds that the download of one media file may take in total'),
  CHUNK_IDEAL_SECONDS: integer(5, 600).default(30).describe('Preferred length of a chunk in seconds, when a silence allows it'),
  CHUNK_MAX_SECONDS: integer(10, 600)
    .default(60)
    .describe('Maximum length of a chunk in seconds; never more than the engine accepts'),
  FETCH_CONCURRENCY: integer(1, 1024).default(16).describe('Recordings downloaded at the same time in one process, all of them of one account while it is alone. A download that takes longer than 5 seconds leaves its place to another one, up to twice as many in all; no account has more than this number'),
  DECODE_CONCURRENCY: integer(1, 64).default(2).describe('Recordings decoded at the same time in one process, all of them of one account while it is alone; each keeps one core busy'),
  CLIP_CONCURRENCY: integer(1, 64).default(2).describe('Clips cut out of recordings at the same time in one process, at most half of them of one account'),
  CLIP_SECONDS: integer(1, 3600).default(300).describe('Seconds after which a clip is ended that its client has not read whole'),
  LIVE_DECODERS: integer(1, 10_000)
    .optional()
    .describe('Live sessions in a container (webm, ogg, mp4, mp3, flac) that one process decodes at once, in fair shares of the accounts; a further one is refused with no_live_capacity. Each takes 10 MB and a hundredth of a core, and 96 MB at most. When empty, as many as fit into a quarter of the memory, 16 a core at most. Raw audio does not count'),
  DECODE_TIMEOUT_MINUTES: integer(1, 24 * 60).default(45).describe('Minutes that decoding and planning of one recording may take, counted from its start'),
  MEDIA_SANDBOX: z
    .enum(SANDBOX_MODES)
    .default('auto')
    .describe('Isolation of ffmpeg and ffprobe: auto (the strongest that this machine supports), require (do not start without it), limits (resource limits only)'),
  MEDIA_DECODER_URL: z
    .string()
    .regex(/^(local:|(dns|ipv4|ipv6|unix):.+)$/, 'must be local: or a gRPC target such as dns:///media-decoder:50051')
    .default('local:')
    .describe('Where ffmpeg and ffprobe run: `local:` (as child processes of ingest), or the gRPC target of `media-decoder` processes, such as dns:///media-decoder:50051'),
  MEDIA_DECODER_TOKEN: mediaDecoderToken.optional().describe('Secret that media-decoder requires when MEDIA_DECODER_URL names one; it differs from GRPC_TOKEN, which would allow the decoder to call the services; best as MEDIA_DECODER_TOKEN_FILE'),
  MEDIA_KEY_DAYS: integer(0, 3650)
    .default(30)
    .describe('Days after which a new media key, to which clients encrypt recordings, takes the place of the one before; 0: only `parlance-admin encryption rotate-media-key` makes one'),
  MEDIA_KEY_ACCEPTED_HOURS: integer(0, 8760)
    .default(168)
    .describe('Hours that new jobs of recordings are accepted that were encrypted to the media key before. The private key is destroyed after that, once no job needs it'),
  MEDIA_KEY_SECRET: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64, as by openssl rand -base64 32')
    .optional()
    .describe('Secret that private media keys need beside KEY_PROVIDER, 32 bytes in base64; best as MEDIA_KEY_SECRET_FILE. Only ingest and `parlance-admin encryption rotate-media-key` have it: then no other service can open what clients encrypted, whatever it may do at the database and the key service. With another one, jobs of encrypted recordings wait; `rotate-media-key --destroy-previous` begins anew'),
  SCRATCH_MAX_BYTES: integer(1024 * 1024)
    .optional()
    .describe('Scratch space of one process for media in progress, in bytes; a recording needs its own size and 230 MB per hour, and one account gets at most two thirds of the space. When empty, three quarters of the free disk space'),
  JOBS_IN_FLIGHT_PER_ACCOUNT: integer(0, 10_000).default(100).describe('Jobs of one account that may be queued or processing at the same time; a further job is refused with too_many_jobs; 0: no limit'),
  JOBS_ACTIVE_PER_ACCOUNT: integer(1, 1000)
    .optional()
    .describe('Jobs of one account in ingest or transcription at the same time; the others wait as queued. When empty, two for each chunk that the transcription workers transcribe at once, shared equally between the accounts with active jobs, and 16 at least. The chunks share the workers in turns, whatever this number is'),
  CHUNK_WINDOW_PER_ACCOUNT: integer(1, 10_000)
    .optional()
    .describe('Has no effect any more: the task queue shares the transcription workers fairly between accounts. Still accepted'),
  STAGE_TIMEOUT_MINUTES: integer(1, 7 * 24 * 60)
    .default(60)
    .describe('Minutes after its start, or its last report that it waits for another try, after which an add-on stage that did not end has failed, so that the job completes; time in a queue or an outage does not count'),
  JOB_STALL_HOURS: integer(1, 30 * 24)
    .default(24)
    .describe('Hours without any progress after which a job has failed, and after which an add-on stage that could start and did not has failed'),
} as const;

export type IngestConfig = ConfigOf<typeof ingestConfig>;

/** Settings of the process that the check of ingest's settings reads. */
type OtherSettings = Partial<Pick<GrpcConfig, 'GRPC_TOKEN'> & { PARLANCE_DATA: string }>;

/** Returns the problems of settings that contradict each other, each of which is valid by itself. */
export function ingestProblems({ CHUNK_IDEAL_SECONDS, CHUNK_MAX_SECONDS, MEDIA_DECODER_URL, MEDIA_DECODER_TOKEN, ERASURE_LOG, GRPC_TOKEN, PARLANCE_DATA = '.' }: IngestConfig & OtherSettings): string[] {
  return [
    ...(ERASURE_LOG === undefined ? [] : erasureLogProblems(ERASURE_LOG, PARLANCE_DATA)),
    ...(CHUNK_IDEAL_SECONDS > CHUNK_MAX_SECONDS ? [`CHUNK_IDEAL_SECONDS: ${CHUNK_IDEAL_SECONDS} is more than CHUNK_MAX_SECONDS, which is ${CHUNK_MAX_SECONDS}`] : []),
    ...(MEDIA_DECODER_URL !== LOCAL_DECODER && MEDIA_DECODER_TOKEN === undefined ? [`MEDIA_DECODER_TOKEN: missing; ${MEDIA_DECODER_URL} requires it`] : []),
    ...(MEDIA_DECODER_TOKEN !== undefined && MEDIA_DECODER_TOKEN === GRPC_TOKEN ? ['MEDIA_DECODER_TOKEN: must differ from GRPC_TOKEN, which would let the decoder call the services'] : []),
  ];
}

/** A restore replaces the data folder, and the log has to outlive it. */
function erasureLogProblems(file: string, dataFolder: string): string[] {
  const path = resolve(file);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [`ERASURE_LOG: ${file} is a folder; name a file`];
  return `${path}${sep}`.startsWith(`${resolve(dataFolder)}${sep}`) ? ['ERASURE_LOG: must be outside of PARLANCE_DATA, which a restore replaces'] : [];
}

export const LOCAL_DECODER = 'local:';
