import { mediaError } from './media-error.js';
import { mediaInput } from './media-input.js';
import type { ProbedMedia } from './media-probe.js';
import { inBlocks } from './pcm-blocks.js';
import type { MediaSandbox, SandboxEnd } from './sandbox.js';

/** What is decoded to: s16le, 16 kHz, one channel. */
export const SAMPLE_RATE = 16_000;
export const BYTES_PER_SECOND = SAMPLE_RATE * 2;

export interface DecodeOptions {
  /** Longer audio is media_too_long: the cap on what a small file of silence can unpack to. */
  maxDurationSeconds: number;
  signal: AbortSignal;
}

/**
 * The audio as raw PCM (s16le, 16 kHz, mono) on the media's own time line: what is before its first sample, and gaps in its
 * time stamps, become silence.
 * ffmpeg goes no faster than the reader. What can be decoded is; what cannot be is left out.
 * @throws AppError media_too_long; media_unsupported (more processor time or memory than allowed); media_empty or media_corrupt
 * when there was not one sample.
 */
export async function* decodeAudio(sandbox: MediaSandbox, file: string, media: ProbedMedia, { maxDurationSeconds, signal }: DecodeOptions): AsyncGenerator<Uint8Array> {
  const silentBytes = 2 * (await firstSample(sandbox, file, media, signal));
  const maxBytes = Math.floor(maxDurationSeconds * BYTES_PER_SECOND);
  const run = await sandbox.run('ffmpeg', [...decodeArguments(file, media), '-f', 's16le', 'pipe:1'], signal);
  let bytes = 0;
  for await (const block of inBlocks(withSilence(Math.min(silentBytes, maxBytes), run.stdout))) {
    bytes += block.length;
    if (bytes > maxBytes) throw mediaError('media_too_long', `The media is longer than ${maxDurationSeconds} seconds.`);
    yield block;
  }
  const end = await run.end;
  if (end.kind === 'limited') throw mediaError('media_unsupported', 'The media takes more time or memory to decode than is allowed.');
  if (bytes === 0) throw nothingDecoded(media, end);
}

/**
 * Formats that tell where in time their frames are: a stream may begin later than others, and have gaps. Everything else is one
 * sample after the other; what ffmpeg counts as time there jumps where the sample rate changes.
 */
const WITH_TIME_STAMPS = ['asf', 'avi', 'flac', 'flv', 'matroska', 'mov', 'mpeg', 'mpegts', 'mxf', 'ogg', 'rm'];

const hasTimeStamps = ({ format }: ProbedMedia): boolean => format.split(',').some((name) => WITH_TIME_STAMPS.includes(name));

/**
 * The number of the first sample that can be decoded, at 16 kHz on the media's time line.
 *
 * Not left to aresample's `first_pts`: where channels or sample rate change on the way (a mono advertisement in a stereo show),
 * ffmpeg builds its filters anew, and that would put silence of all that was before in front of all that follows.
 */
async function firstSample(sandbox: MediaSandbox, file: string, media: ProbedMedia, signal: AbortSignal): Promise<number> {
  if (!hasTimeStamps(media)) return 0;
  const run = await sandbox.run('ffmpeg', [...decodeArguments(file, media), '-frames:a', '1', '-f', 'framecrc', 'pipe:1'], signal);
  let lines = '';
  for await (const piece of run.stdout) lines += Buffer.from(piece).toString('latin1');
  await run.end;
  // Stream, decoding time stamp, time stamp, …
  return Math.max(0, Number(/^0, *-?\d+, *(-?\d+),/m.exec(lines)?.[1] ?? 0));
}

async function* withSilence(bytes: number, sound: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const second = new Uint8Array(BYTES_PER_SECOND);
  for (let left = bytes; left > 0; left -= second.length) yield second.subarray(0, left);
  yield* sound;
}

function decodeArguments(file: string, media: ProbedMedia): string[] {
  return [
    '-nostdin', '-hide_banner', '-loglevel', 'error',
    // Media that keeps its samples in other files (default off; said again where the demuxer knows the option).
    ...(media.format.includes('mov') ? ['-enable_drefs', '0'] : []),
    '-vn', '-sn', '-dn',
    ...mediaInput(file),
    '-map', `0:a:${media.audioIndex}`,
    '-af', `aresample=${SAMPLE_RATE}${hasTimeStamps(media) ? ':async=1' : ''}`, '-ac', '1', '-ar', String(SAMPLE_RATE),
    '-threads', '1',
  ];
}

function nothingDecoded(media: ProbedMedia, end: SandboxEnd): Error {
  if (!media.certain) return mediaError('media_unsupported', 'The file is not audio or video that can be read.');
  return end.stderr === '' ? mediaError('media_empty', 'The media holds no sound at all.') : mediaError('media_corrupt', 'The audio of the media cannot be decoded.');
}
