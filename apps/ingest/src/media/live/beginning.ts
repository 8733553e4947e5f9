import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, removeScratch } from '@parlance/platform';
import { firstFrame } from '../audio-decoder.js';
import { hasTimeStamps } from '../decoder-arguments.js';
import type { MediaDecoder } from '../media-decoder.js';
import { isMediaErrorCode } from '../media-error.js';
import { probeMedia, type ProbedMedia } from '../media-probe.js';
import type { ArrivingBytes } from './arriving-bytes.js';

/** The first look at a recording, in bytes; each further one is at twice as many. */
const FIRST_LOOK_BYTES = 1024;
/** Within so many bytes there is something of a container. */
const MAX_UNKNOWN_BYTES = 256 * 1024;
/** Within so many bytes a known container has described its audio: a cover or the index of an MP4 comes before it. */
export const MAX_BEGINNING_BYTES = 4 * 1024 * 1024;

/** The container of a live recording, and where its audio begins. */
export interface FoundContainer {
  media: ProbedMedia;
  /** The first sample at 16 kHz on the time line of the media; what is before it is silence. */
  firstSample: number;
}

interface LookOptions {
  decoder: MediaDecoder;
  scratchFolder: string;
  signal: AbortSignal;
}

/**
 * Reads as much of a recording as it takes to know its container for certain, as a file's is known. Whether the bytes arrive one at a
 * time or at once makes no difference: looks are at fixed lengths.
 * @throws AppError media_* when it is none
 */
export async function findContainer(arriving: ArrivingBytes, options: LookOptions): Promise<FoundContainer> {
  for (let size = FIRST_LOOK_BYTES; ; size *= 2) {
    const { bytes, isWhole } = await arriving.first(size);
    const isLast = isWhole || size >= MAX_BEGINNING_BYTES;
    const found = await look(bytes, isLast, options).catch((error: unknown) => {
      if (isLast || isFinal(error, size)) throw error;
      return undefined;
    });
    if (found) return found;
  }
}

/** More bytes may show what the first ones do not. */
const isFinal = (error: unknown, size: number): boolean => !(error instanceof AppError && isMediaErrorCode(error.code)) || (error.code === 'media_unsupported' && size >= MAX_UNKNOWN_BYTES);

/** @returns undefined when more bytes are needed */
async function look(bytes: Uint8Array, isLast: boolean, { decoder, scratchFolder, signal }: LookOptions): Promise<FoundContainer | undefined> {
  const folder = await mkdtemp(join(scratchFolder, 'beginning-'));
  try {
    const file = join(folder, 'source');
    await writeFile(file, bytes);
    const media = await probeMedia(decoder, file, { maxDurationSeconds: Infinity, signal, isBeginning: true });
    const isKnown = isLast || bytes.length >= MAX_UNKNOWN_BYTES || (media.certain && media.hasStarted);
    if (!isKnown) return undefined;
    if (!hasTimeStamps(media.format)) return { media, firstSample: 0 };
    const first = await firstFrame(decoder, media, { file, signal, isLive: true });
    return first === undefined && !isLast ? undefined : { media, firstSample: first ?? 0 };
  } finally {
    await removeScratch(folder);
  }
}
