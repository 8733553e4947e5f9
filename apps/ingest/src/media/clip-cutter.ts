import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mediaKeys } from '@parlance/contracts';
import type { FairPlaces } from '@parlance/event-bus';
import { AppError, notFound, removeScratch } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import { MAX_CLIP_RATE } from './decoder-arguments.js';
import type { Clip, MediaDecoder } from './media-decoder.js';
import { mediaError } from './media-error.js';
import { takePlace } from './place.js';
import type { ScratchBudget, ScratchRoom } from './scratch-budget.js';
import { copyToScratch } from './scratch-source.js';

interface ClipRequest extends Clip {
  accountId: string;
  jobId: string;
  /** True where only the redacted recording may leave the server. */
  isRedacted: boolean;
  signal: AbortSignal;
}

interface ClipCutterOptions {
  store: MediaStore;
  decoder: MediaDecoder;
  scratchFolder: string;
  budget: Pick<ScratchBudget, 'reserve'>;
  /** Clips that are cut at once. */
  places: FairPlaces;
  /** Milliseconds after which a clip is ended that was not read whole. */
  limitMs?: number;
  /** Milliseconds that a clip waits for a place. */
  waitMs?: number;
}

const LIMIT_MS = 300_000;
const WAIT_MS = 10_000;
const PIECE_BYTES = 64 * 1024;
const NEVER = new AbortController().signal;

/** Cuts stretches out of recordings. */
export class ClipCutter {
  constructor(private readonly options: ClipCutterOptions) {}

  /**
   * The stretch of the first file of the job, as a file. It is cut to scratch first, so that a slow reader holds room there but no place.
   * Memory does not grow with it; scratch files are gone when it was read to its end or is left.
   * @throws AppError not_found without a source; service_unavailable when no place is free or it takes too long; media_* and scratch errors as at the intake
   */
  async *cut({ accountId, jobId, isRedacted = false, signal = NEVER, ...clip }: Partial<Pick<ClipRequest, 'signal' | 'isRedacted'>> & Omit<ClipRequest, 'signal' | 'isRedacted'>): AsyncGenerator<Uint8Array> {
    const { scratchFolder, budget, limitMs = LIMIT_MS } = this.options;
    const limit = AbortSignal.timeout(limitMs);
    const request = { accountId, jobId, isRedacted, signal: AbortSignal.any([signal, limit]), ...clip };
    const room = await budget.reserve(accountId, maxBytesOf(clip));
    let folder: string | undefined;
    try {
      folder = await mkdtemp(join(scratchFolder, 'clip-'));
      const file = join(folder, 'clip');
      await this.inPlace(request, () => this.cutTo(file, request, room));
      for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES })) {
        request.signal.throwIfAborted();
        yield piece as Uint8Array;
      }
    } catch (error) {
      throw limit.aborted && !signal.aborted ? tooSlow(error) : error;
    } finally {
      if (folder !== undefined) await removeScratch(folder);
      room.release();
    }
  }

  private async inPlace({ accountId, signal }: ClipRequest, work: () => Promise<void>): Promise<void> {
    const { places, waitMs = WAIT_MS } = this.options;
    const leave = await takePlace(accountId, { places, waitMs, refusal: noPlaceFree, signal });
    try {
      await work();
    } finally {
      leave();
    }
  }

  private async cutTo(clipFile: string, { accountId, jobId, isRedacted, signal, ...clip }: ClipRequest, clipRoom: ScratchRoom): Promise<void> {
    const { store, decoder, budget } = this.options;
    const keys = mediaKeys(accountId, jobId);
    const key = isRedacted ? keys.redacted(0) : keys.source;
    const source = await store.head(key);
    if (!source) throw notFound('The source of the job');
    const room = await budget.reserve(accountId, source.sizeBytes);
    const file = `${clipFile}-source`;
    try {
      await copyToScratch(store, key, file, { signal, hash: createHash('sha256'), onWritten: room.wrote });
      const run = await decoder.run({ kind: 'clip', ...clip }, { file, signal });
      const bytes = await writeAll(run.stdout, clipFile, clipRoom);
      const end = await run.end;
      if (end.kind === 'limited') throw mediaError('media_unsupported', 'Cutting the media takes more time or memory than is allowed.');
      if (bytes === 0 || end.code !== 0) throw mediaError('media_corrupt', 'This part of the media cannot be decoded.');
    } finally {
      await rm(file, { force: true });
      room.release();
    }
  }
}

/** The size of a clip in the largest format: 16 bit PCM in two channels, with its header. */
const maxBytesOf = ({ duration }: Clip): number => Math.ceil((duration + 1) * MAX_CLIP_RATE * 4);

async function writeAll(pieces: AsyncIterable<Uint8Array>, file: string, room: ScratchRoom): Promise<number> {
  let bytes = 0;
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const piece of pieces) {
      bytes += piece.length;
      await handle.appendFile(piece);
      room.wrote(piece.length);
    }
  } finally {
    await handle.close();
  }
  return bytes;
}

const noPlaceFree = () => new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'Other clips are being cut at the moment.', retryAfter: 5 });

const tooSlow = (cause: unknown) => new AppError({ kind: 'timeout', code: 'service_unavailable', message: 'The clip was not made and read within the time allowed.', cause });
