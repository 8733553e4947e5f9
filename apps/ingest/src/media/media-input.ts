import { INPUT } from './sandbox.js';

/**
 * ffmpeg's names of the containers that are read. Never on it: whatever names other files or addresses (hls, dash, concat,
 * sdp, image2 …), devices, and text (subtitles, tty).
 */
const DEMUXERS = [
  'aac', 'ac3', 'aiff', 'amr', 'ape', 'asf', 'au', 'avi', 'caf', 'dts', 'eac3', 'flac', 'flv', 'gsm', 'matroska',
  'mov', 'mp3', 'mpc', 'mpc8', 'mpeg', 'mpegts', 'mxf', 'ogg', 'rm', 'tak', 'tta', 'voc', 'w64', 'wav', 'wv',
];

/** True when a demuxer's name, like `mov,mp4,m4a,3gp,3g2,mj2`, is one of those that are read. */
export const isReadable = (demuxer: string): boolean => demuxer.split(',').some((name) => DEMUXERS.includes(name));

/**
 * Options before and with the input, for ffprobe and ffmpeg alike: one local file and nothing it points at. The name says
 * nothing about the format, since callers' files are stored without an extension.
 */
export const MEDIA_INPUT: readonly string[] = ['-protocol_whitelist', 'file', '-format_whitelist', DEMUXERS.join(','), '-threads', '1', '-i', `file:${INPUT}`];

/** The same for samples of ours: s16le, those of the channels in turn. */
export const samplesInput = (sampleRate: number, channels: number): string[] => ['-protocol_whitelist', 'file', '-f', 's16le', '-ar', String(sampleRate), '-ac', String(channels), '-i', `file:${INPUT}`];

/**
 * The same for a recording that arrives at standard input, whose format is known by ffprobe's name. ffmpeg analyses streams only as far
 * as it must, which changes no sample, and nothing waits for bytes that are still to come.
 */
export const streamInput = (format: string): string[] => [
  '-probesize', '32', '-analyzeduration', '1',
  '-protocol_whitelist', 'pipe', '-format_whitelist', DEMUXERS.join(','), '-f', demuxerOf(format), '-threads', '1', '-i', 'pipe:0',
];

/** The first of a demuxer's names, by which it can be chosen. @throws RangeError for one that is not read */
function demuxerOf(format: string): string {
  const name = format.split(',').find((each) => DEMUXERS.includes(each));
  if (name === undefined) throw new RangeError('The format is not one of those that are read.');
  return name;
}
