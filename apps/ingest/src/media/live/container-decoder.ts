import type { liveMedia } from '@parlance/contracts';
import { nothingDecoded, withSilence, BYTES_PER_SECOND } from '../audio-decoder.js';
import type { MediaDecoder } from '../media-decoder.js';
import { mediaError } from '../media-error.js';
import { maxPlausibleSeconds, unpacksTooFar } from '../plausible-media.js';
import type { SandboxEnd, SandboxRun } from '../sandbox.js';
import { ArrivingBytes } from './arriving-bytes.js';
import { findContainer, type FoundContainer } from './beginning.js';

interface ContainerOptions {
  decoder: MediaDecoder;
  scratchFolder: string;
  signal: AbortSignal;
}

/** Bytes that a container may have in a row without audio: headers, pictures, an index behind its end, and what the decoder reads ahead. */
const MAX_SILENT_BYTES = 16 * 1024 ** 2;
/** Bytes that it may have for each second of audio: more than 32 lossless channels at 48 kHz, or the video beside them, have. */
const MAX_BYTES_PER_SECOND = 8 * 1024 ** 2;

interface Progress {
  /** Bytes of 16 kHz audio that were decoded so far. */
  decoded: number;
  /** Bytes of the media that had arrived by then. */
  arrived: number;
}

type DecodedPart = NonNullable<liveMedia.DecodeResponse['part']>;

/**
 * Yields the kind of the container, then its audio as it can be decoded, on the time line of the media as `decodeAudio` has it.
 * @throws AppError media_*; media_corrupt also when the audio cannot be decoded from some point on
 */
export async function* decodeContainer(source: AsyncIterable<Uint8Array>, options: ContainerOptions): AsyncGenerator<DecodedPart> {
  const parts = source[Symbol.asyncIterator]();
  try {
    const arriving = new ArrivingBytes(parts);
    const found = await findContainer(arriving, options);
    yield { $case: 'container', value: describe(found) };
    for await (const pcm of decode(arriving, found, options)) yield { $case: 'pcm', value: Buffer.from(pcm) };
  } finally {
    // Not waited for: bytes may not be coming any more.
    parts.return?.().catch(() => undefined);
  }
}

const describe = ({ media: { format, codec, sampleRate, channels } }: FoundContainer): liveMedia.DecodedContainer => ({ format, codec, sampleRate, channels });

async function* decode(arriving: ArrivingBytes, found: FoundContainer, { decoder, signal }: ContainerOptions): AsyncGenerator<Uint8Array> {
  // A caller may leave before the first read of the output, which alone would not end the tool.
  const left = new AbortController();
  try {
    const progress = { decoded: 0, arrived: 0 };
    const run = await decoder.stream(found.media, { source: withAudio(arriving, progress), signal: AbortSignal.any([signal, left.signal]) });
    yield* audioOf(run, arriving, found, progress);
  } finally {
    left.abort();
  }
}

/** All bytes, until they are many more than their audio can need: they are stored before they are decoded. @throws AppError media_corrupt */
async function* withAudio(arriving: ArrivingBytes, progress: Progress): AsyncGenerator<Uint8Array> {
  for await (const bytes of arriving.all()) {
    const { decoded, arrived } = progress;
    if (arriving.arrived > MAX_SILENT_BYTES + Math.min(arrived, (decoded / BYTES_PER_SECOND) * MAX_BYTES_PER_SECOND)) throw mediaError('media_corrupt', 'The media has many more bytes than its audio can need.');
    yield bytes;
  }
}

async function* audioOf(run: SandboxRun, arriving: ArrivingBytes, { media, firstSample }: FoundContainer, progress: Progress): AsyncGenerator<Uint8Array> {
  const count = (bytes: number): void => {
    progress.decoded += bytes;
    progress.arrived = arriving.arrived;
    if (progress.decoded / BYTES_PER_SECOND > maxPlausibleSeconds(arriving.arrived)) throw unpacksTooFar(arriving.arrived);
  };
  for await (const pcm of withSilence(2 * firstSample, run.stdout)) {
    count(pcm.length);
    yield pcm;
  }
  const end = await run.end;
  if (end.kind === 'limited') throw mediaError('media_unsupported', 'Decoding the media takes more time or memory than is allowed.');
  if (progress.decoded === 0) throw nothingDecoded(media, end);
  await readRest(arriving, end);
}

/** The tool stops where a file would end: at the end that the container states, or where nothing more can be read. @throws AppError media_corrupt */
async function readRest(arriving: ArrivingBytes, { stderr }: SandboxEnd): Promise<void> {
  let bytes = 0;
  for (let part = await arriving.next(); part; part = await arriving.next()) {
    bytes += part.length;
    if (bytes > MAX_SILENT_BYTES) throw mediaError('media_corrupt', `More than ${MAX_SILENT_BYTES} bytes follow the end of the media.`);
    if (stderr !== '' && part.length > 0) throw mediaError('media_corrupt', 'The media is damaged: its audio cannot be decoded from here on.');
  }
}
