import { common, ingest, mediaKeys } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { LiveEnd } from '../jobs/live-requests.js';
import type { LiveSource } from '../jobs/state/job-source.js';

const { LIVE_ENCODING_UNSPECIFIED, UNRECOGNIZED } = common.LiveEncoding;
const RATES = { min: 8000, max: 48_000 };
const MAX_CHANNELS = 8;

/** @throws AppError invalid_request */
export function liveSource({ audio, finalPass, storeAudio }: ingest.LiveSource): LiveSource {
  if (!audio || audio.encoding === UNRECOGNIZED) throw invalid('A live session needs the format of its audio.');
  const { encoding, sampleRate, channels } = audio;
  const isRaw = encoding !== LIVE_ENCODING_UNSPECIFIED;
  if (isRaw && (sampleRate < RATES.min || sampleRate > RATES.max || channels < 1 || channels > MAX_CHANNELS)) throw invalid('Raw audio needs a sample rate of 8000 to 48000 Hz and 1 to 8 channels.');
  return { kind: 'live', audio: { encoding, sampleRate, channels }, finalPass, storeAudio };
}

/** @throws AppError invalid_request */
export function liveEnd({ accountId, jobId, pieces, gaps, finalsKey }: ingest.FinishLiveRequest): LiveEnd {
  const { livePrefix, liveFinals } = mediaKeys(accountId, jobId);
  const isStored = pieces.every((key) => key.startsWith(livePrefix)) && (finalsKey === '' || finalsKey === liveFinals);
  if (!isStored) throw invalid('The pieces or the finals are not stored where those of this job must be.');
  return { pieces, gaps: gaps.map(({ start, end }) => ({ start, end })), finalsKey };
}

const invalid = (message: string): AppError => new AppError({ kind: 'invalid', code: 'invalid_request', message });
