import { createHash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { mediaKeys } from '@parlance/contracts';
import type { FairPlaces } from '@parlance/event-bus';
import { AppError, notFound, removeScratch } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import { firstSample } from './audio-decoder.js';
import { SAMPLE_RATE } from './decoder-arguments.js';
import type { Clip, MediaDecoder } from './media-decoder.js';
import { mediaError } from './media-error.js';
import { probeMedia } from './media-probe.js';
import { takePlace } from './place.js';
import type { ScratchBudget } from './scratch-budget.js';
import { copyToScratch } from './scratch-source.js';

interface ClipRequest extends Clip {
  accountId: string;
  jobId: string;
  signal: AbortSignal;
}

interface ClipCutterOptions {
  store: MediaStore;
  decoder: MediaDecoder;
  scratchFolder: string;
  budget: Pick<ScratchBudget, 'reserve'>;
  /** Clips at once. */
  places: FairPlaces;
  /** Milliseconds that one clip may take, its reader's pace included. */
  limitMs?: number;
  /** Milliseconds that a clip waits for a place. */
  waitMs?: number;
}

const LIMIT_MS = 300_000;
const WAIT_MS = 10_000;
const NEVER = new AbortController().signal;

/** Cuts stretches out of recordings. */
export class ClipCutter {
  constructor(private readonly options: ClipCutterOptions) {}

  /**
   * The stretch of the first file of the job, as a file that grows at the pace of its reader. Memory does not grow with it; scratch files
   * are gone when it was read to its end or is left.
   * @throws AppError not_found without a source; service_unavailable when no place is free or it takes too long; media_* and scratch errors as at the intake
   */
  async *cut({ accountId, jobId, signal = NEVER, ...clip }: Partial<Pick<ClipRequest, 'signal'>> & Omit<ClipRequest, 'signal'>): AsyncGenerator<Uint8Array> {
    const { places, waitMs = WAIT_MS, limitMs = LIMIT_MS } = this.options;
    const leave = await takePlace(accountId, { places, waitMs, refusal: noPlaceFree, signal });
    const limit = AbortSignal.timeout(limitMs);
    try {
      yield* this.cutNow({ accountId, jobId, signal: AbortSignal.any([signal, limit]), ...clip });
    } catch (error) {
      throw limit.aborted && !signal.aborted ? tooSlow(error) : error;
    } finally {
      leave();
    }
  }

  private async *cutNow({ accountId, jobId, signal, ...clip }: ClipRequest): AsyncGenerator<Uint8Array> {
    const { store, decoder, scratchFolder, budget } = this.options;
    const key = mediaKeys(accountId, jobId).source;
    const source = await store.head(key);
    if (!source) throw notFound('The source of the job');
    const room = await budget.reserve(accountId, source.sizeBytes);
    let folder: string | undefined;
    try {
      folder = await mkdtemp(join(scratchFolder, 'clip-'));
      const file = join(folder, 'source');
      await copyToScratch(store, key, file, { signal, hash: createHash('sha256'), onWritten: room.wrote });
      const track = await probeMedia(decoder, file, { maxDurationSeconds: Infinity, signal });
      const beginsLater = clip.start * SAMPLE_RATE < (await firstSample(decoder, file, track, signal));
      const run = await decoder.run({ kind: 'clip', track, beginsLater, ...clip }, { file, signal });
      let bytes = 0;
      for await (const piece of run.stdout) {
        bytes += piece.length;
        yield piece;
      }
      const end = await run.end;
      if (end.kind === 'limited') throw mediaError('media_unsupported', 'Cutting the media takes more time or memory than is allowed.');
      if (bytes === 0 || end.code !== 0) throw mediaError('media_corrupt', 'This part of the media cannot be decoded.');
    } finally {
      if (folder !== undefined) await removeScratch(folder);
      room.release();
    }
  }
}

const noPlaceFree = () => new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'Other clips are being cut at the moment.', retryAfter: 5 });

const tooSlow = (cause: unknown) => new AppError({ kind: 'timeout', code: 'service_unavailable', message: 'The clip was not made and read within the time allowed.', cause });
