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
