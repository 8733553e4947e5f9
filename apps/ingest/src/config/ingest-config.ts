import { egressConfig } from '@parlance/egress';
import { integer, type ConfigOf } from '@parlance/platform';

/** What ingest reads from the environment. */
export const ingestConfig = {
  ...egressConfig,
  MEDIA_MAX_BYTES: integer(1)
    .default(5 * 1024 ** 3)
    .describe('Largest media file that is taken, bytes (5 GiB)'),
  MEDIA_MAX_DURATION_SECONDS: integer(1)
    .default(12 * 60 * 60)
    .describe('Longest media that is taken, seconds (12 h)'),
  MEDIA_SILENCE_SECONDS: integer(1, 3600).default(60).describe('Seconds without a byte, over all tries, after which a media fetch is given up'),
  MEDIA_FETCH_SECONDS: integer(1, 24 * 60 * 60).default(600).describe('Seconds that one media fetch may take in all'),
  CHUNK_IDEAL_SECONDS: integer(5, 600).default(30).describe('Length of audio that one engine call gets, where silences allow; seconds'),
  CHUNK_MAX_SECONDS: integer(10, 600)
    .default(60)
    .describe('Longest audio that one engine call gets, seconds; never more than the engine takes'),
  FETCH_CONCURRENCY: integer(1, 1024).default(16).describe('Recordings fetched at once in one process, of one account half of that; fetching mostly waits'),
  DECODE_CONCURRENCY: integer(1, 64).default(2).describe('Recordings decoded at once in one process, of one account half of that; each keeps a core busy'),
  DECODE_TIMEOUT_MINUTES: integer(1, 24 * 60).default(45).describe('Minutes that decoding and planning one recording may take, once its turn has come'),
  JOBS_IN_FLIGHT_PER_ACCOUNT: integer(0, 10_000).default(100).describe('Jobs of one account that may be queued or processing; one more is refused with too_many_jobs; 0: no limit'),
  JOBS_ACTIVE_PER_ACCOUNT: integer(1, 1000).default(4).describe('Jobs of one account in ingest or transcription at once; the others wait as queued'),
  CHUNK_WINDOW_PER_ACCOUNT: integer(1, 10_000)
    .optional()
    .describe('Chunk tasks of one account that are out at once; when empty 2 for each core of this machine, at least 4'),
  STAGE_TIMEOUT_MINUTES: integer(1, 7 * 24 * 60)
    .default(60)
    .describe('Minutes after which an add-on stage that reports nothing has failed, so that the job completes'),
  JOB_STALL_HOURS: integer(1, 30 * 24)
    .default(24)
    .describe('Hours without any progress after which a job has failed'),
} as const;

export type IngestConfig = ConfigOf<typeof ingestConfig>;

/** What settings that fit each for itself say against each other. */
export const ingestProblems = ({ CHUNK_IDEAL_SECONDS, CHUNK_MAX_SECONDS }: IngestConfig): string[] =>
  CHUNK_IDEAL_SECONDS > CHUNK_MAX_SECONDS ? [`CHUNK_IDEAL_SECONDS: ${CHUNK_IDEAL_SECONDS} is more than CHUNK_MAX_SECONDS, which is ${CHUNK_MAX_SECONDS}`] : [];
