import { createHash, type Hash } from 'node:crypto';
import { mkdtemp, open } from 'node:fs/promises';
import { join } from 'node:path';
import { mediaKeys, type common } from '@parlance/contracts';
import { inSpan, isWaitedFor, notFound, removeScratch } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import { BYTES_PER_SECOND, decodeAudio } from '../audio-decoder.js';
import { AudioPeaks } from '../audio-peaks.js';
import { SAMPLE_RATE } from '../decoder-arguments.js';
import type { MediaDecoder } from '../media-decoder.js';
import { mediaError } from '../media-error.js';
import { probeMedia } from '../media-probe.js';
import type { ScratchBudget, ScratchRoom } from '../scratch-budget.js';
import { copyToScratch } from '../scratch-source.js';
import { redactedSamples, type AudioStyle } from './redacted-samples.js';
import type { Stretch } from './redacted-stretches.js';

interface RedactionRequest {
  accountId: string;
  jobId: string;
  /** Files of the job, one of each participant. */
  tracks: number;
  /** Seconds of the longest of them, as decoded before. */
  duration: number;
  stretches: readonly Stretch[];
  style: AudioStyle;
  signal: AbortSignal;
}

/** Describes the redacted recording. */
type RedactedMedia = Pick<common.Media, 'format' | 'codec' | 'sampleRate' | 'channels' | 'hasVideo' | 'sizeBytes' | 'sha256'>;

interface AudioRedactorOptions {
  store: MediaStore;
  decoder: MediaDecoder;
  scratchFolder: string;
  budget: Pick<ScratchBudget, 'reserve'>;
}

interface Track {
  file: string;
  key: string;
  redactedKey: string;
  room: ScratchRoom;
}

/** More channels are mixed to one. */
const MAX_CHANNELS = 2;

/** Makes recordings without the words that were redacted. */
export class AudioRedactor {
  constructor(private readonly options: AudioRedactorOptions) {}

  /**
   * Stores a redacted recording beside each file of the job, and its peaks in place of theirs. The audio is decoded as it was for the
   * engines, so that times are the same to the sample. May be repeated; a file is there whole or not at all.
   * @throws AppError not_found without a source; media_* and scratch errors as at the intake
   */
  async redact({ accountId, jobId, tracks, ...request }: RedactionRequest): Promise<RedactedMedia> {
    const { store } = this.options;
    const keys = mediaKeys(accountId, jobId);
    const [made, peaks]: [RedactedMedia[], AudioPeaks[]] = [[], []];
    await inSpan('redact media', { attributes: { 'parlance.job_id': jobId } }, async () => {
      for (let track = 0; track < tracks; track += 1) {
        const redacted = await this.inScratch(accountId, { key: keys.track(track), redactedKey: keys.redacted(track) }, request);
        made.push(redacted.media);
        peaks.push(redacted.peaks);
      }
      await store.put(keys.peaks, piece(AudioPeaks.ofTracks(peaks)), { signal: request.signal });
    });
    return made[0] as RedactedMedia;
  }

  private async inScratch(accountId: string, keys: Pick<Track, 'key' | 'redactedKey'>, request: Omit<RedactionRequest, 'accountId' | 'jobId' | 'tracks'>) {
    const { store, budget, scratchFolder } = this.options;
    const source = await store.head(keys.key);
    if (!source) throw notFound('The source of the job');
    const room = await budget.reserve(accountId, source.sizeBytes + Math.ceil(request.duration + 1) * BYTES_PER_SECOND * MAX_CHANNELS);
    let folder: string | undefined;
    try {
      folder = await mkdtemp(join(scratchFolder, 'redaction-'));
      return await this.redactTrack({ ...keys, file: join(folder, 'source'), room }, request);
    } catch (error) {
      if (!isWaitedFor(error)) request.signal.throwIfAborted();
      throw error;
    } finally {
      if (folder !== undefined) await removeScratch(folder);
      room.release();
    }
  }

  private async redactTrack({ file, key, redactedKey, room }: Track, { stretches, style, duration, signal }: Omit<RedactionRequest, 'accountId' | 'jobId' | 'tracks'>) {
    const { store, decoder } = this.options;
    await copyToScratch(store, key, file, { signal, hash: createHash('sha256'), onWritten: room.wrote });
    const probed = await probeMedia(decoder, file, { maxDurationSeconds: Infinity, signal });
    const channels = probed.channels === MAX_CHANNELS ? MAX_CHANNELS : 1;
    const peaks = new AudioPeaks(channels);
    const decoded = decodeAudio(decoder, file, probed, { channels, maxDurationSeconds: duration + 1, signal });
    const samples = `${file}-samples`;
    await writeAll(redactedSamples(decoded, { stretches, channels, style }), samples, (block) => {
      signal.throwIfAborted();
      peaks.add(block);
      room.wrote(block.length);
    });
    const hash = createHash('sha256');
    const { sizeBytes } = await store.put(redactedKey, this.encoded(samples, channels, hash, signal), { signal });
    return { peaks, media: { format: 'ogg', codec: 'opus', sampleRate: SAMPLE_RATE, channels, hasVideo: false, sizeBytes, sha256: hash.digest('hex') } satisfies RedactedMedia };
  }

  private async *encoded(file: string, channels: number, hash: Hash, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const run = await this.options.decoder.run({ kind: 'encode', channels }, { file, signal });
    for await (const bytes of run.stdout) {
      hash.update(bytes);
      yield bytes;
    }
    const end = await run.end;
    if (end.kind === 'limited') throw mediaError('media_unsupported', 'Encoding the redacted recording takes more time or memory than is allowed.');
    if (end.code !== 0) throw mediaError('media_corrupt', 'The redacted recording cannot be encoded.');
  }
}

async function writeAll(blocks: AsyncIterable<Uint8Array>, file: string, onBlock: (block: Uint8Array) => void): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const block of blocks) {
      onBlock(block);
      await handle.appendFile(block);
    }
  } finally {
    await handle.close();
  }
}

async function* piece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
