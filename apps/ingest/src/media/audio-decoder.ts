import { mediaError } from './media-error.js';
import { hasTimeStamps, SAMPLE_RATE } from './decoder-arguments.js';
import type { AudioTrack, MediaDecoder } from './media-decoder.js';
import type { ProbedMedia } from './media-probe.js';
import { readBounded } from './read-bounded.js';
import type { SandboxEnd, SandboxInput } from './sandbox.js';

/** Bytes of one second of one channel. */
export const BYTES_PER_SECOND = SAMPLE_RATE * 2;

interface DecodeOptions {
  /** Default: mixed to one. More: that many channels apart, their samples in turn. */
  channels?: number;
  /** Longer audio is media_too_long: the cap on what a small file of silence can unpack to. */
  maxDurationSeconds: number;
  signal: AbortSignal;
}

/**
 * The audio as raw PCM (s16le, 16 kHz) on the media's own time line: what is before its first sample, and gaps in its
 * time stamps, become silence.
 * ffmpeg goes no faster than the reader. What can be decoded is; what cannot be is left out.
 * @throws AppError media_too_long; media_unsupported (more processor time or memory than allowed); media_empty or media_corrupt
 * when there was not one sample.
 */
export async function* decodeAudio(decoder: MediaDecoder, file: string, media: ProbedMedia, { channels = 1, maxDurationSeconds, signal }: DecodeOptions): AsyncGenerator<Uint8Array> {
  const silentBytes = 2 * channels * (await firstSample(decoder, file, media, signal));
  const maxBytes = Math.floor(maxDurationSeconds * BYTES_PER_SECOND) * channels;
  const run = await decoder.run(channels === 1 ? { kind: 'decode', track: media } : { kind: 'decodeChannels', track: media, channels }, { file, signal });
  let bytes = 0;
  for await (const block of inBlocks(withSilence(Math.min(silentBytes, maxBytes), run.stdout))) {
    bytes += block.length;
    if (bytes > maxBytes) throw mediaError('media_too_long', `The media is longer than ${maxDurationSeconds} seconds.`);
    yield block;
  }
  const end = await run.end;
  if (end.kind === 'limited') throw mediaError('media_unsupported', 'Decoding the media takes more time or memory than is allowed.');
  if (bytes === 0) throw nothingDecoded(media, end);
}

/**
 * The number of the first sample that can be decoded, at 16 kHz on the media's time line.
 *
 * Not left to aresample's `first_pts`: where channels or sample rate change on the way (a mono advertisement in a stereo show),
 * ffmpeg builds its filters anew, and that would put silence of all that was before in front of all that follows.
 */
export async function firstSample(decoder: MediaDecoder, file: string, media: ProbedMedia, signal: AbortSignal): Promise<number> {
  if (!hasTimeStamps(media.format)) return 0;
  return (await firstFrame(decoder, media, { file, signal })) ?? 0;
}

/** The sample at which the first frame that can be decoded begins; undefined when there is none. */
export async function firstFrame(decoder: MediaDecoder, track: AudioTrack, input: SandboxInput): Promise<number | undefined> {
  const run = await decoder.run({ kind: 'firstFrame', track }, input);
  const lines = (await readBounded(run.stdout)) ?? '';
  await run.end;
  // Stream, decoding time stamp, time stamp, …
  const time = /^0, *-?\d+, *(-?\d+),/m.exec(lines)?.[1];
  return time === undefined ? undefined : Math.max(0, Number(time));
}

export async function* withSilence(bytes: number, sound: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const second = new Uint8Array(BYTES_PER_SECOND);
  for (let left = bytes; left > 0; left -= second.length) yield second.subarray(0, left);
  yield* sound;
}

/** Why a run gave not one sample. */
export function nothingDecoded(media: Pick<ProbedMedia, 'certain'>, end: SandboxEnd): Error {
  if (!media.certain) return mediaError('media_unsupported', 'The file is not audio or video that can be read.');
  return end.stderr === '' ? mediaError('media_empty', 'The media contains no audio samples.') : mediaError('media_corrupt', 'The audio of the media cannot be decoded.');
}

/** Four seconds: a pipe gives a few milliseconds at a time, and each piece costs a turn of the event loop at every step behind it. */
const BLOCK_BYTES = 128_000;

/** The same bytes in blocks of four seconds or a little more, the last one shorter. */
async function* inBlocks(pcm: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pcm) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < BLOCK_BYTES) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(pieces);
}
