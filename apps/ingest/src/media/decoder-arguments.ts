import type { AudioTrack, ClipFormat, ToolTask, TrackClip } from './media-decoder.js';
import { MEDIA_INPUT, samplesInput, streamInput } from './media-input.js';
import type { MediaTool } from './sandbox.js';

/** The output of decoding: s16le, 16 kHz. */
export const SAMPLE_RATE = 16_000;

const ENTRIES = [
  'format=format_name,duration,probe_score',
  'stream=codec_type,codec_name,sample_rate,channels,duration,start_time',
  'stream_disposition=default,attached_pic',
].join(':');

/** The tool that does a task, and its arguments. */
export function decoderArguments(task: ToolTask): { tool: MediaTool; args: string[] } {
  if (task.kind === 'probe') return { tool: 'ffprobe', args: ['-hide_banner', '-loglevel', 'error', '-show_entries', ENTRIES, '-of', 'json', ...MEDIA_INPUT] };
  if (task.kind === 'clip') return { tool: 'ffmpeg', args: clipArguments(task) };
  if (task.kind === 'encode') return { tool: 'ffmpeg', args: encodeArguments(task.channels) };
  const output = task.kind === 'firstFrame' ? ['-frames:a', '1', '-f', 'framecrc'] : ['-f', 's16le'];
  const channels = task.kind === 'decodeChannels' ? task.channels : 1;
  return { tool: 'ffmpeg', args: [...trackArguments(task.track, channels), ...output, 'pipe:1'] };
}

/** Kilobits of a second of a channel: nothing is lost of speech of this sample rate. */
const ENCODED_KBITS = 48;

const encodeArguments = (channels: number): string[] => [
  '-nostdin', '-hide_banner', '-loglevel', 'error',
  ...samplesInput(SAMPLE_RATE, channels),
  '-c:a', 'libopus', '-b:a', `${ENCODED_KBITS * channels}k`, '-threads', '1',
  '-f', 'ogg', 'pipe:1',
];

/** Encoders that ffmpeg's package of Debian has. */
const ENCODERS: Readonly<Record<ClipFormat, readonly string[]>> = {
  mp3: ['-c:a', 'libmp3lame', '-q:a', '4', '-f', 'mp3'],
  m4a: ['-c:a', 'aac', '-b:a', '128k', '-movflags', 'frag_keyframe+empty_moov+default_base_moof', '-f', 'mp4'],
  wav: ['-c:a', 'pcm_s16le', '-f', 'wav'],
  ogg: ['-c:a', 'libopus', '-b:a', '96k', '-f', 'ogg'],
};
/** Sample rates that the encoders take, in Hz. Opus has its own. */
const RATES = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
const OPUS_RATES = [8_000, 12_000, 16_000, 24_000, 48_000];

/** The highest sample rate of a clip. */
export const MAX_CLIP_RATE = 48_000;

/** The lowest rate of the format that loses nothing of the track. */
const clipRate = (format: ClipFormat, sampleRate: number): number => (format === 'ogg' ? OPUS_RATES : RATES).find((rate) => sampleRate > 0 && rate >= sampleRate) ?? MAX_CLIP_RATE;

/** Seeks in the input, so that a stretch at the end of a long recording takes no longer than one at its beginning. */
function clipArguments({ track: { format: container, audioIndex }, channels, sampleRate, beginsLater, start, duration, format }: TrackClip): string[] {
  const rate = clipRate(format, sampleRate);
  const timing = hasTimeStamps(container) ? `:async=1${beginsLater ? ':first_pts=0' : ''}` : '';
  return [
    '-nostdin', '-hide_banner', '-loglevel', 'error',
    ...(container.includes('mov') ? ['-enable_drefs', '0'] : []),
    '-vn', '-sn', '-dn',
    '-ss', start.toFixed(3),
    ...MEDIA_INPUT,
    '-map', `0:a:${audioIndex}`, '-map_metadata', '-1', '-map_chapters', '-1',
    '-af', `aresample=${rate}${timing}`, '-ar', String(rate), '-ac', channels === 1 ? '1' : '2',
    '-t', duration.toFixed(3), '-threads', '1',
    ...ENCODERS[format], 'pipe:1',
  ];
}

/**
 * The arguments of ffmpeg that decode a track while it arrives at standard input. The samples are those of `decode`. ffmpeg keeps the
 * silence of a gap in memory, so it is added last, where a second of it is smallest: 17 minutes fit into 96 MB, not three.
 */
export function streamArguments(track: AudioTrack): string[] {
  const silence = hasTimeStamps(track.format) ? ['aformat=sample_fmts=s16:channel_layouts=mono', `aresample=${SAMPLE_RATE}:async=1`] : [];
  return [...inputArguments(track, streamInput(track.format)), ...outputArguments([`aresample=${SAMPLE_RATE}`, ...silence], 1), '-flush_packets', '1', '-f', 's16le', 'pipe:1'];
}

function trackArguments(track: AudioTrack, channels: number): string[] {
  // First of all, as a later filter would have the channels mixed to fit its layout.
  const filters = [...(channels > 1 ? [eachApart(channels)] : []), `aresample=${SAMPLE_RATE}${hasTimeStamps(track.format) ? ':async=1' : ''}`];
  return [...inputArguments(track, MEDIA_INPUT), ...outputArguments(filters, channels)];
}

function inputArguments({ format, audioIndex }: AudioTrack, input: readonly string[]): string[] {
  return [
    '-nostdin', '-hide_banner', '-loglevel', 'error',
    // Media that keeps its samples in other files (default off; said again where the demuxer knows the option).
    ...(format.includes('mov') ? ['-enable_drefs', '0'] : []),
    '-vn', '-sn', '-dn',
    ...input,
    '-map', `0:a:${audioIndex}`,
  ];
}

const outputArguments = (filters: readonly string[], channels: number): string[] => ['-af', filters.join(','), ...(channels > 1 ? [] : ['-ac', '1']), '-ar', String(SAMPLE_RATE), '-threads', '1'];

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
