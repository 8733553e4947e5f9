import { createHash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { common, mediaKeys, type DecodedKeys, type MediaKeys } from '@parlance/contracts';
import type { VoiceActivityDetector } from '@parlance/engines';
import { AppError, inSpan, isWaitedFor, notFound, removeScratch } from '@parlance/platform';
import type { MediaStore, StoredObject } from '@parlance/storage';
import type { ChunkPlan, PlannedChunk, RecognitionOptions, SpeechRegion } from '@parlance/transcript';
import { BYTES_PER_SECOND, decodeAudio } from './audio-decoder.js';
import { AudioPeaks } from './audio-peaks.js';
import { chooseChannels } from './channel-choice.js';
import { planChunks, type ChunkLengths } from './chunk-planner.js';
import { SAMPLE_RATE } from './decoder-arguments.js';
import { DecodingAllowance } from './decoding-allowance.js';
import type { MediaDecoder } from './media-decoder.js';
import { mediaError } from './media-error.js';
import { probeMedia, type ProbedMedia } from './media-probe.js';
import { PcmSpool } from './pcm-spool.js';
import type { ScratchBudget, ScratchRoom } from './scratch-budget.js';
import { copyToScratch, type OpenSealed } from './scratch-source.js';

export interface PrepareRequest {
  accountId: string;
  jobId: string;
  /** Options for the recognition of the chunks: they are kept in the plan. */
  options: RecognitionOptions;
  /** The caller's options for the channels; default: they are mixed. */
  channels?: common.ChannelOptions | undefined;
  /** Files of the job, one of each participant; default: one of all. Each becomes a channel. */
  tracks?: number | undefined;
  lengths: ChunkLengths;
  maxDurationSeconds: number;
  signal: AbortSignal;
  /** Opens a recording that its client encrypted. */
  openSealed?: OpenSealed | undefined;
  /** Sets seconds of the account aside before they are decoded, those of each channel; called again, with more, when the media is longer than it states. */
  reserveSeconds?: (seconds: number) => Promise<void>;
  /** Called from time to time with the part that is done, 0 to 1, never going back, and the seconds decoded, those of each channel. */
  onProgress?: (fraction: number, decodedSeconds: number) => void;
}

export interface PreparedMedia {
  media: common.Media;
  planKey: string;
  /** Ends in '/'. */
  audioPrefix: string;
  chunksTotal: number;
  warnings: MediaWarning[];
}

export interface MediaWarning {
  code: 'media_truncated' | 'channels_mixed';
  message: string;
}

/** From a source in the media store to chunks of audio and their plan in the media store. */
export interface MediaPipeline {
  /**
   * May be repeated after a crash: every object is written over, surplus ones of an earlier run are removed, the plan comes last.
   * Memory does not grow with the length of the media; scratch files are gone when it returns or throws.
   * @throws AppError media_*, scratch_busy, storage_full, what the store and the detector throw; the signal's reason when it aborts, unless an outage was waited for.
   */
  prepare(request: PrepareRequest): Promise<PreparedMedia>;
}

interface MediaPipelineOptions {
  store: MediaStore;
  decoder: MediaDecoder;
  voiceActivity: VoiceActivityDetector;
  scratchFolder: string;
  budget: ScratchBudget;
}

/** Chunks put at once: enough to hide a remote store's latency. */
const PUTS_AT_ONCE = 4;

/** Channels whose voice activity is detected at once: each takes a process and a core. */
const LISTENED_AT_ONCE = Math.min(4, availableParallelism());

export function createMediaPipeline({ store, decoder, voiceActivity, scratchFolder, budget }: MediaPipelineOptions): MediaPipeline {
  return {
    async prepare({ accountId, jobId, options, channels: asked, tracks = 1, lengths, maxDurationSeconds, signal, openSealed, reserveSeconds = async () => {}, onProgress }) {
      const stored = mediaKeys(accountId, jobId);
      const recordings = await recordingsOf(store, stored, tracks);
      const sizeBytes = recordings.reduce((sum, recording) => sum + recording.sizeBytes, 0);
      const room = await budget.reserve(accountId, sizeBytes);
      let folder: string | undefined;
      try {
        folder = await mkdtemp(join(scratchFolder, 'media-'));
        const attributes = { 'parlance.job_id': jobId };
        const hash = createHash('sha256');
        const sources: Source[] = [];
        for (const [track, { key }] of recordings.entries()) {
          const file = join(folder, `source-${track}`);
          const { isSealed } = await copyToScratch(store, key, file, { signal, hash, onWritten: room.wrote, openSealed });
          const probed = await inSpan('probe media', { attributes }, () => ofTrack(track, tracks, probeMedia(decoder, file, { maxDurationSeconds, signal })));
          sources.push({ file, probed, isSealed });
        }
        const isSealed = sources.some((source) => source.isSealed);
        const keys = isSealed ? stored.alwaysSealed : stored;
        const { file, probed } = longestOf(sources);
        const mode = asked?.mode ?? common.ChannelMode.CHANNEL_MODE_MIX;
        const choose = () => chooseChannels(decoder, file, probed, { mode, maxDurationSeconds, signal });
        const { count: channels, mixesDifferent } = tracks > 1 ? { count: tracks, mixesDifferent: false } : await inSpan('choose channels', { attributes }, choose);
        const allowance = new DecodingAllowance({ room, sizeBytes, channels, maxDurationSeconds, reserveSeconds });
        await allowance.begin(probed.expectedDuration);
        const spool = new PcmSpool(scratchFiles(folder, channels), { admit: (seconds) => allowance.admit(seconds), onWritten: room.wrote });
        const peaks = tracks > 1 ? sources.map(() => new AudioPeaks(1)) : [new AudioPeaks(channels)];
        const regions = await inSpan('decode media', { attributes }, async (span) => {
          span.set({ 'parlance.media_format': probed.format, 'parlance.media_codec': probed.codec });
          const decode = (source: Source, track: number, count = 1) => watched(decodeAudio(decoder, source.file, source.probed, { channels: count, maxDurationSeconds, signal }), (block) => peaks[track]?.add(block));
          const decoded = tracks > 1 ? spool.recordEach(sources.map((source, track) => decode(source, track))) : spool.record(decode({ file, probed, isSealed }, 0, channels));
          const reported = watched(decoded, () => reportDecoded(spool, probed, channels, onProgress));
          return channels === 1 ? [await listen(voiceActivity, reported, signal)] : listenToEach(voiceActivity, spool, { decoded: reported, channels, signal });
        });
        if (!spool.complete) throw new AppError({ kind: 'internal', code: 'internal', message: 'The audio was not read to its end.' });
        if (spool.duration === 0) throw mediaError('media_empty', 'The media contains no audio samples.');
        const whole = { jobId, duration: spool.duration, sampleRate: SAMPLE_RATE, options } as const;
        const plan: ChunkPlan = channels === 1
          ? { ...whole, chunks: chunksOf(keys, regions[0] ?? [], spool.duration, lengths) }
          : { ...whole, channels, channelNames: asked?.names ?? [], chunks: chunksOfChannels(keys, regions, spool.duration, lengths) };
        await inSpan('plan chunks', { attributes: { ...attributes, 'parlance.chunks': plan.chunks.length } }, async () => {
          await storeChunks(store, spool, plan.chunks, { signal, room, onStored: (part) => onProgress?.(DECODING_SHARE + part * (1 - DECODING_SHARE), spool.duration * channels) });
          await removeSurplus(store, keys, plan);
          await store.put(keys.peaks, piece(AudioPeaks.ofTracks(peaks)), { signal });
          await store.put(keys.plan, jsonBytes(plan), { signal });
        });
        return {
          media: { ...describe(sources[0]?.probed ?? probed), sizeBytes, sha256: hash.digest('hex'), duration: spool.duration, ...(channels > 1 && { splitChannels: channels }), ...(isSealed && { sealed: true }) },
          planKey: keys.plan,
          audioPrefix: keys.audioPrefix,
          chunksTotal: plan.chunks.length,
          warnings: [...warningsOf(probed, spool.duration), ...(mixesDifferent ? [CHANNELS_MIXED] : [])],
        };
      } catch (error) {
        if (!isWaitedFor(error)) signal.throwIfAborted();
        throw error;
      } finally {
        if (folder !== undefined) await removeScratch(folder);
        room.release();
      }
    },
  };
}

const DECODING_SHARE = 0.9;

function reportDecoded(spool: PcmSpool, { statedDuration }: ProbedMedia, channels: number, onProgress: PrepareRequest['onProgress']): void {
  const part = statedDuration !== undefined && statedDuration > 0 ? Math.min(1, spool.decodedSeconds / channels / statedDuration) : 0;
  onProgress?.(part * DECODING_SHARE, spool.decodedSeconds);
}

interface Source {
  file: string;
  probed: ProbedMedia;
  /** True when its client had encrypted it. */
  isSealed: boolean;
}

const longestOf = (sources: readonly Source[]): Source => {
  const [longest] = sources.toSorted((one, other) => (other.probed.expectedDuration ?? 0) - (one.probed.expectedDuration ?? 0));
  if (!longest) throw new RangeError('There is no file.');
  return longest;
};

/** Says which of several files it is that cannot be used. */
async function ofTrack<T>(track: number, tracks: number, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (tracks === 1 || !(error instanceof AppError)) throw error;
    const { kind, code, retryable, message } = error;
    throw new AppError({ kind, code, retryable, message: `File ${track + 1} of ${tracks}: ${message}`, cause: error });
  }
}

const scratchFiles = (folder: string, channels: number): string[] => Array.from({ length: channels }, (_, channel) => join(folder, `pcm-${channel}`));

const CHANNELS_MIXED: MediaWarning = {
  code: 'channels_mixed',
  message: 'The two channels of the recording differ, as in a call with one party on each, and were mixed. With channels: split each is transcribed apart.',
};

/** The files of the job; the redacted ones where those are all that is left. */
async function recordingsOf(store: MediaStore, keys: MediaKeys, tracks: number): Promise<StoredObject[]> {
  const recordings: StoredObject[] = [];
  for (let track = 0; track < tracks; track += 1) {
    const recording = (await store.head(keys.track(track))) ?? (await store.head(keys.redacted(track)));
    if (!recording) throw notFound('The source of the job');
    recordings.push(recording);
  }
  return recordings;
}

async function* watched(pcm: AsyncIterable<Uint8Array>, onBlock: (block: Uint8Array) => void): AsyncGenerator<Uint8Array> {
  for await (const block of pcm) {
    onBlock(block);
    yield block;
  }
}

async function listen(voiceActivity: VoiceActivityDetector, pcm: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<SpeechRegion[]> {
  const regions: SpeechRegion[] = [];
  for await (const { start, end } of voiceActivity.detect(pcm, signal)) regions.push({ start, end });
  return regions;
}

/** The regions of each channel, once all audio is on the disk. */
async function listenToEach(
  voiceActivity: VoiceActivityDetector,
  spool: PcmSpool,
  { decoded, channels, signal }: { decoded: AsyncIterable<Uint8Array>; channels: number; signal: AbortSignal },
): Promise<SpeechRegion[][]> {
  for await (const _ of decoded);
  const regions: SpeechRegion[][] = Array.from({ length: channels }, () => []);
  if (spool.duration === 0) return regions;
  await eachAtOnce(regions.keys(), LISTENED_AT_ONCE, signal, async (channel, either) => {
    regions[channel] = await listen(voiceActivity, spool.read(0, spool.duration, channel), either);
  });
  return regions;
}

/** The chunks of all channels by time, so that finished ones can be shown as one conversation before the merge. */
function chunksOfChannels(keys: DecodedKeys, regions: readonly SpeechRegion[][], duration: number, lengths: ChunkLengths): PlannedChunk[] {
  return regions
    .flatMap((ofChannel, channel) => chunksOf(keys, ofChannel, duration, lengths).map((chunk) => ({ ...chunk, channel })))
    .toSorted((one, other) => one.ownStart - other.ownStart || one.channel - other.channel)
    .map((chunk, index) => ({ ...chunk, index, audioKey: keys.audio(index) }));
}

function chunksOf(keys: DecodedKeys, regions: readonly SpeechRegion[], duration: number, lengths: ChunkLengths): PlannedChunk[] {
  // A detector works in windows, the last of which may reach past the end.
  const inside = regions.map(({ start, end }) => ({ start, end: Math.min(end, duration) })).filter(({ start, end }) => start < end);
  return planChunks(inside, duration, lengths).map((range, index) => ({ index, ...range, audioKey: keys.audio(index) }));
}

async function storeChunks(
  store: MediaStore,
  spool: PcmSpool,
  chunks: readonly PlannedChunk[],
  { signal, room, onStored }: { signal: AbortSignal; room: ScratchRoom; onStored: (part: number) => void },
): Promise<void> {
  let stored = 0;
  await eachAtOnce(chunks.values(), PUTS_AT_ONCE, signal, async ({ audioKey, start, end, channel }, either) => {
    room.give((end - start) * BYTES_PER_SECOND);
    await store.put(audioKey, spool.read(start, end, channel), { signal: either });
    stored += 1;
    onStored(stored / chunks.length);
  });
}

/** Does the work for each item, some at a time. When one fails the others are aborted. Settles when all have stopped: they read scratch files. */
async function eachAtOnce<T>(items: IterableIterator<T>, limit: number, signal: AbortSignal, work: (item: T, signal: AbortSignal) => Promise<void>): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const worker = async () => {
    for (const item of items) {
      either.throwIfAborted();
      await work(item, either);
    }
  };
  await Promise.all(Array.from({ length: limit }, () => worker().catch((error: unknown) => failed.abort(error))));
  failed.signal.throwIfAborted();
}

async function removeSurplus(store: MediaStore, keys: DecodedKeys, plan: ChunkPlan): Promise<void> {
  const wanted = new Set(plan.chunks.map(({ audioKey }) => audioKey));
  const surplus: string[] = [];
  for await (const { key } of store.list(keys.audioPrefix)) if (!wanted.has(key)) surplus.push(key);
  for (const key of surplus) await store.remove(key);
}

const jsonBytes = (value: unknown): AsyncGenerator<Uint8Array> => piece(Buffer.from(JSON.stringify(value)));

async function* piece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const describe = ({ format, codec, sampleRate, channels, hasVideo }: ProbedMedia) => ({ format, codec, sampleRate, channels, hasVideo });

function warningsOf({ statedDuration }: ProbedMedia, duration: number): MediaWarning[] {
  if (statedDuration === undefined || duration >= statedDuration - Math.max(2, statedDuration * 0.02)) return [];
  return [{ code: 'media_truncated', message: `The media states ${Math.round(statedDuration)} seconds, of which ${Math.round(duration)} could be decoded.` }];
}
