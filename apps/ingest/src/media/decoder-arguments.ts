import type { AudioTrack, ClipFormat, MediaTask } from './media-decoder.js';
import { MEDIA_INPUT } from './media-input.js';
import type { MediaTool } from './sandbox.js';

/** The output of decoding: s16le, 16 kHz. */
export const SAMPLE_RATE = 16_000;

const ENTRIES = [
  'format=format_name,duration,probe_score',
  'stream=codec_type,codec_name,sample_rate,channels,duration',
  'stream_disposition=default,attached_pic',
].join(':');

/** The tool that does a task, and its arguments. */
export function decoderArguments(task: MediaTask): { tool: MediaTool; args: string[] } {
  if (task.kind === 'probe') return { tool: 'ffprobe', args: ['-hide_banner', '-loglevel', 'error', '-show_entries', ENTRIES, '-of', 'json', ...MEDIA_INPUT] };
  if (task.kind === 'clip') return { tool: 'ffmpeg', args: clipArguments(task) };
  const output = task.kind === 'firstFrame' ? ['-frames:a', '1', '-f', 'framecrc'] : ['-f', 's16le'];
  const channels = task.kind === 'decodeChannels' ? task.channels : 1;
  return { tool: 'ffmpeg', args: [...trackArguments(task.track, channels), ...output, 'pipe:1'] };
}

type ClipTask = Extract<MediaTask, { kind: 'clip' }>;

/** Encoders that ffmpeg's package of Debian has. */
const ENCODERS: Readonly<Record<ClipFormat, readonly string[]>> = {
  mp3: ['-c:a', 'libmp3lame', '-q:a', '4', '-f', 'mp3'],
  m4a: ['-c:a', 'aac', '-b:a', '128k', '-movflags', 'frag_keyframe+empty_moov+default_base_moof', '-f', 'mp4'],
  wav: ['-c:a', 'pcm_s16le', '-f', 'wav'],
  ogg: ['-c:a', 'libopus', '-b:a', '96k', '-f', 'ogg'],
};
/** Every encoder takes it. */
const CLIP_SAMPLE_RATE = 48_000;

/** Seeks in the input, so that a stretch at the end of a long recording takes no longer than one at its beginning. */
function clipArguments({ track: { format: container, audioIndex }, beginsLater, start, duration, format }: ClipTask): string[] {
  const timing = hasTimeStamps(container) ? `:async=1${beginsLater ? ':first_pts=0' : ''}` : '';
  return [
    '-nostdin', '-hide_banner', '-loglevel', 'error',
    ...(container.includes('mov') ? ['-enable_drefs', '0'] : []),
    '-vn', '-sn', '-dn',
    '-ss', start.toFixed(3),
    ...MEDIA_INPUT,
    '-map', `0:a:${audioIndex}`, '-map_metadata', '-1', '-map_chapters', '-1',
    '-af', `aresample=${CLIP_SAMPLE_RATE}${timing}`, '-ar', String(CLIP_SAMPLE_RATE), '-ac', '2',
    '-t', duration.toFixed(3), '-threads', '1',
    ...ENCODERS[format], 'pipe:1',
  ];
}

function trackArguments({ format, audioIndex }: AudioTrack, channels: number): string[] {
  // First of all, as a later filter would have the channels mixed to fit its layout.
  const filters = [...(channels > 1 ? [eachApart(channels)] : []), `aresample=${SAMPLE_RATE}${hasTimeStamps(format) ? ':async=1' : ''}`];
  return [
    '-nostdin', '-hide_banner', '-loglevel', 'error',
    // Media that keeps its samples in other files (default off; said again where the demuxer knows the option).
    ...(format.includes('mov') ? ['-enable_drefs', '0'] : []),
    '-vn', '-sn', '-dn',
    ...MEDIA_INPUT,
    '-map', `0:a:${audioIndex}`,
    '-af', filters.join(','), ...(channels > 1 ? [] : ['-ac', '1']), '-ar', String(SAMPLE_RATE),
    '-threads', '1',
  ];
}

/**
 * By number, not by position in a room. Where the audio has fewer channels, the rest are silent. A gain that is not exactly 1 (but
 * changes no sample) keeps ffmpeg 5 from a shortcut that mixes channels to fit the layout of the output.
 */
const eachApart = (channels: number): string => ['pan=' + channels + 'c', 'c0=0.9999999*c0', ...Array.from({ length: channels - 1 }, (_, index) => `c${index + 1}=c${index + 1}`)].join('|');

/**
 * Formats that tell where in time their frames are: a stream may begin later than others, and have gaps. Everything else is one
 * sample after the other; what ffmpeg counts as time there jumps where the sample rate changes.
 */
const WITH_TIME_STAMPS = ['asf', 'avi', 'flac', 'flv', 'matroska', 'mov', 'mpeg', 'mpegts', 'mxf', 'ogg', 'rm'];

export const hasTimeStamps = (format: string): boolean => format.split(',').some((name) => WITH_TIME_STAMPS.includes(name));
