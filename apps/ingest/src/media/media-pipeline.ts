import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { mediaKeys, type common, type MediaKeys } from '@parlance/contracts';
import type { VoiceActivityDetector } from '@parlance/engines';
import { AppError, inSpan, isWaitedFor, notFound, removeScratch } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import type { ChunkPlan, PlannedChunk, RecognitionOptions, SpeechRegion } from '@parlance/transcript';
import { BYTES_PER_SECOND, decodeAudio } from './audio-decoder.js';
import { planChunks, type ChunkLengths } from './chunk-planner.js';
import { SAMPLE_RATE } from './decoder-arguments.js';
import { DecodingAllowance } from './decoding-allowance.js';
import type { MediaDecoder } from './media-decoder.js';
import { mediaError } from './media-error.js';
import { probeMedia, type ProbedMedia } from './media-probe.js';
import { PcmSpool } from './pcm-spool.js';
import type { ScratchBudget, ScratchRoom } from './scratch-budget.js';
import { copyToScratch } from './scratch-source.js';

export interface PrepareRequest {
  accountId: string;
  jobId: string;
  /** Options for the recognition of the chunks: they are kept in the plan. */
  options: RecognitionOptions;
  lengths: ChunkLengths;
  maxDurationSeconds: number;
  signal: AbortSignal;
  /** Sets seconds of the account aside before they are decoded; called again, with more, when the media is longer than it states. */
  reserveSeconds?: (seconds: number) => Promise<void>;
  /** Called from time to time with the part that is done, 0 to 1, never going back, and the seconds decoded. */
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
  code: 'media_truncated';
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

export function createMediaPipeline({ store, decoder, voiceActivity, scratchFolder, budget }: MediaPipelineOptions): MediaPipeline {
  return {
    async prepare({ accountId, jobId, options, lengths, maxDurationSeconds, signal, reserveSeconds = async () => {}, onProgress }) {
      const keys = mediaKeys(accountId, jobId);
      const sizeBytes = await sizeOf(store, keys.source);
      const room = await budget.reserve(accountId, sizeBytes);
      let folder: string | undefined;
      try {
        folder = await mkdtemp(join(scratchFolder, 'media-'));
        const file = join(folder, 'source');
        const attributes = { 'parlance.job_id': jobId };
        const source = await copyToScratch(store, keys.source, file, { signal, onWritten: room.wrote });
        const probed = await inSpan('probe media', { attributes }, () => probeMedia(decoder, file, { maxDurationSeconds, signal }));
        const allowance = new DecodingAllowance({ room, sizeBytes, maxDurationSeconds, reserveSeconds });
        await allowance.begin(probed.expectedDuration);
        const spool = new PcmSpool(join(folder, 'pcm'), { admit: (seconds) => allowance.admit(seconds), onWritten: room.wrote });
        const regions = await inSpan('decode media', { attributes }, (span) => {
          span.set({ 'parlance.media_format': probed.format, 'parlance.media_codec': probed.codec });
          const decoded = spool.record(decodeAudio(decoder, file, probed, { maxDurationSeconds, signal }));
          return listen(voiceActivity, watched(decoded, () => reportDecoded(spool, probed, onProgress)), signal);
        });
        if (!spool.complete) throw new AppError({ kind: 'internal', code: 'internal', message: 'The audio was not read to its end.' });
        if (spool.duration === 0) throw mediaError('media_empty', 'The media contains no audio samples.');
        const plan: ChunkPlan = { jobId, duration: spool.duration, sampleRate: SAMPLE_RATE, options, chunks: chunksOf(keys, regions, spool.duration, lengths) };
        await inSpan('plan chunks', { attributes: { ...attributes, 'parlance.chunks': plan.chunks.length } }, async () => {
          await storeChunks(store, spool, plan.chunks, { signal, room, onStored: (part) => onProgress?.(DECODING_SHARE + part * (1 - DECODING_SHARE), spool.duration) });
          await removeSurplus(store, keys, plan);
          await store.put(keys.plan, jsonBytes(plan), { signal });
        });
        return {
          media: { ...describe(probed), ...source, duration: spool.duration },
          planKey: keys.plan,
          audioPrefix: keys.audioPrefix,
          chunksTotal: plan.chunks.length,
          warnings: warningsOf(probed, spool.duration),
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

function reportDecoded(spool: PcmSpool, { statedDuration }: ProbedMedia, onProgress: PrepareRequest['onProgress']): void {
  const part = statedDuration !== undefined && statedDuration > 0 ? Math.min(1, spool.duration / statedDuration) : 0;
  onProgress?.(part * DECODING_SHARE, spool.duration);
}

async function sizeOf(store: MediaStore, key: string): Promise<number> {
  const source = await store.head(key);
  if (!source) throw notFound('The source of the job');
  return source.sizeBytes;
}

async function* watched(pcm: AsyncIterable<Uint8Array>, onBlock: () => void): AsyncGenerator<Uint8Array> {
  for await (const block of pcm) {
    onBlock();
    yield block;
  }
}

async function listen(voiceActivity: VoiceActivityDetector, pcm: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<SpeechRegion[]> {
  const regions: SpeechRegion[] = [];
  for await (const { start, end } of voiceActivity.detect(pcm, signal)) regions.push({ start, end });
  return regions;
}

function chunksOf(keys: MediaKeys, regions: readonly SpeechRegion[], duration: number, lengths: ChunkLengths): PlannedChunk[] {
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
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const queue = chunks.values();
  let stored = 0;
  const worker = async () => {
    for (const { audioKey, start, end } of queue) {
      either.throwIfAborted();
      room.give((end - start) * BYTES_PER_SECOND);
      await store.put(audioKey, spool.read(start, end), { signal: either });
      stored += 1;
      onStored(stored / chunks.length);
    }
  };
  const workers = Array.from({ length: PUTS_AT_ONCE }, () => worker().catch((error: unknown) => {
    failed.abort(error);
    throw error;
  }));
  // All must have stopped before the scratch file goes.
  await Promise.allSettled(workers);
  failed.signal.throwIfAborted();
}

async function removeSurplus(store: MediaStore, keys: MediaKeys, plan: ChunkPlan): Promise<void> {
  const wanted = new Set(plan.chunks.map(({ audioKey }) => audioKey));
  const surplus: string[] = [];
  for await (const { key } of store.list(keys.audioPrefix)) if (!wanted.has(key)) surplus.push(key);
  for (const key of surplus) await store.remove(key);
}

async function* jsonBytes(value: unknown): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(value));
}

const describe = ({ format, codec, sampleRate, channels, hasVideo }: ProbedMedia) => ({ format, codec, sampleRate, channels, hasVideo });

function warningsOf({ statedDuration }: ProbedMedia, duration: number): MediaWarning[] {
  if (statedDuration === undefined || duration >= statedDuration - Math.max(2, statedDuration * 0.02)) return [];
  return [{ code: 'media_truncated', message: `The media states ${Math.round(statedDuration)} seconds, of which ${Math.round(duration)} could be decoded.` }];
}
