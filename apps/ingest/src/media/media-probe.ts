import { open, stat, type FileHandle } from 'node:fs/promises';
import type { AppError } from '@parlance/platform';
import { z } from 'zod';
import { mediaError } from './media-error.js';
import type { MediaDecoder } from './media-decoder.js';
import { isReadable } from './media-input.js';
import { maxPlausibleSeconds, refuseImplausible } from './plausible-media.js';
import { readBounded } from './read-bounded.js';
import type { SandboxEnd } from './sandbox.js';
import { secondsInHeader } from './stated-length.js';

/** The description of a file by ffprobe, before it is decoded. */
export interface ProbedMedia {
  /** Container by ffprobe's name, for instance `mov,mp4,m4a,3gp,3g2,mj2`. */
  format: string;
  /** Codec of the audio stream that is decoded. */
  codec: string;
  sampleRate: number;
  channels: number;
  hasVideo: boolean;
  /** As the file states it, seconds; some have none, and raw streams only an estimate: decoding decides. */
  statedDuration: number | undefined;
  /** Seconds that are reserved before decoding: as stated, or as ffprobe estimates it. */
  expectedDuration: number | undefined;
  /** Number of the stream among the file's audio streams. */
  audioIndex: number;
  /** The container was recognised for certain, not guessed from a few frames. */
  certain: boolean;
  /** It is known when each stream of sound or pictures begins. */
  hasStarted: boolean;
}

interface ProbeOptions {
  maxDurationSeconds: number;
  signal: AbortSignal;
  /** The file is the beginning of a recording that is still arriving: what it states is not compared with its size. */
  isBeginning?: boolean;
}

const seconds = z.coerce.number().nonnegative().optional().catch(undefined);
const ffprobeStream = z.object({
  codec_type: z.string().optional(),
  codec_name: z.string().default('unknown'),
  sample_rate: z.coerce.number().int().nonnegative().catch(0),
  channels: z.number().int().nonnegative().catch(0),
  duration: seconds,
  start_time: z.unknown().optional(),
  disposition: z.object({ default: z.number().catch(0), attached_pic: z.number().catch(0) }).partial().default({}),
});
const ffprobeAnswer = z.object({
  streams: z.array(ffprobeStream).default([]),
  format: z.object({ format_name: z.string(), duration: seconds, probe_score: z.number().catch(0) }).optional(),
});

/**
 * Looks at the file's own bytes, never at its name or headers.
 * @param file absolute path of a local file.
 * @throws AppError media_empty, media_unsupported (no media, a playlist, an archive), media_corrupt, media_no_audio, media_too_long, media_implausible.
 */
export async function probeMedia(decoder: MediaDecoder, file: string, { maxDurationSeconds, signal, isBeginning = false }: ProbeOptions): Promise<ProbedMedia> {
  await refuseArchive(file);
  const run = await decoder.run({ kind: 'probe' }, { file, signal, isLive: isBeginning });
  const json = await readBounded(run.stdout);
  const end = await run.end;
  if (end.kind === 'limited' || json === undefined) throw mediaError('media_unsupported', 'Reading the media takes more time or memory than is allowed.');
  const { streams, format } = parseAnswer(json);
  if (end.code !== 0 || !format) throw unreadable(end);
  const audio = streams.filter(({ codec_type }) => codec_type === 'audio');
  const chosen = audio.find((stream) => stream.disposition.default === 1 && stream.channels > 0) ?? audio.find(({ channels }) => channels > 0);
  if (!chosen) throw audio.length === 0 ? mediaError('media_no_audio', 'The media has no audio.') : mediaError('media_corrupt', 'The audio of the media cannot be read.');
  const hasVideo = streams.some(({ codec_type, disposition }) => codec_type === 'video' && disposition.attached_pic !== 1);
  const statedDuration = chosen.duration ?? format.duration;
  if (statedDuration !== undefined && format.probe_score > PROBE_SCORE_RETRY && statedDuration > maxDurationSeconds && !isEstimated(format.format_name)) {
    throw mediaError('media_too_long', `The media is longer than ${maxDurationSeconds} seconds.`);
  }
  const kind = { format: format.format_name, codec: chosen.codec_name };
  const sizeBytes = isBeginning ? Infinity : (await stat(file)).size;
  refuseImplausible({ sampleRate: chosen.sample_rate, channels: chosen.channels, seconds: isEstimated(kind.format) ? 0 : (statedDuration ?? 0), sizeBytes });
  const measured = isEstimated(kind.format) || (hasVideo && chosen.duration === undefined) ? undefined : statedDuration;
  return {
    ...kind,
    sampleRate: chosen.sample_rate,
    channels: chosen.channels,
    hasVideo,
    statedDuration: (await secondsInHeader(file, kind)) ?? measured,
    expectedDuration: statedDuration === undefined ? undefined : Math.min(statedDuration, maxPlausibleSeconds(sizeBytes), maxDurationSeconds),
    audioIndex: audio.indexOf(chosen),
    certain: format.probe_score > PROBE_SCORE_RETRY,
    hasStarted: streams.every(({ codec_type, start_time, disposition }) => !['audio', 'video'].includes(codec_type ?? '') || disposition.attached_pic === 1 || start_time !== undefined),
  };
}

/** Up to this score (AVPROBE_SCORE_RETRY in libavformat) a format is a guess. */
const PROBE_SCORE_RETRY = 25;

/** Streams without a header: ffprobe takes the bit rate of the first frames for all of it. */
const isEstimated = (format: string): boolean => ['aac', 'ac3', 'eac3', 'mp3', 'amr', 'dts', 'gsm', 'mpeg', 'mpegts'].includes(format);

/** Archives and documents may hold bytes that look like audio frames when they are stored uncompressed. */
const OTHER_FILES = ['PK\x03\x04', 'PK\x05\x06', '7z\xbc\xaf', 'Rar!', '%PDF-', '\x1f\x8b', 'BZh', '\xfd7zXZ'];

async function refuseArchive(file: string): Promise<void> {
  const head = await readHead(file);
  if (head.length === 0) throw mediaError('media_empty', 'The media is an empty file.');
  if (OTHER_FILES.some((signature) => head.startsWith(signature))) throw unsupported();
}

async function readHead(file: string): Promise<string> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'r');
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(16) });
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle?.close();
  }
}

function parseAnswer(json: string): z.output<typeof ffprobeAnswer> {
  try {
    return ffprobeAnswer.parse(JSON.parse(json));
  } catch (cause) {
    throw mediaError('media_unsupported', 'The file is not audio or video that can be read.', { cause });
  }
}

/** ffprobe names the container on standard error when it recognised one: `[mov,mp4,… @ 0x…] moov atom not found`. */
function unreadable({ stderr }: SandboxEnd): AppError {
  const container = /^\[([\w,]+) @ /m.exec(stderr)?.[1];
  const recognised = container !== undefined && isReadable(container) && !stderr.includes('not on whitelist');
  return recognised ? mediaError('media_corrupt', 'The media is damaged or truncated: its description cannot be read.') : unsupported();
}

const unsupported = () => mediaError('media_unsupported', 'The file is not audio or video that can be read.');
