import type { common } from '@parlance/contracts';

interface Container {
  audio: string;
  video: string;
  /** The first is that of a file whose name has none of them. */
  extensions: readonly string[];
}

const only = (type: string, ...extensions: string[]): Container => ({ audio: type, video: type, extensions });

/** By the first of ffprobe's names for a format. */
const CONTAINERS: Readonly<Record<string, Container>> = {
  aac: only('audio/aac', 'aac', 'adts'),
  aiff: only('audio/aiff', 'aiff', 'aif', 'aifc'),
  amr: only('audio/amr', 'amr'),
  asf: { audio: 'audio/x-ms-wma', video: 'video/x-ms-wmv', extensions: ['asf', 'wma', 'wmv'] },
  avi: only('video/x-msvideo', 'avi'),
  flac: only('audio/flac', 'flac'),
  flv: only('video/x-flv', 'flv'),
  matroska: { audio: 'audio/webm', video: 'video/webm', extensions: ['webm', 'mkv', 'mka'] },
  mov: { audio: 'audio/mp4', video: 'video/mp4', extensions: ['mp4', 'm4a', 'm4b', 'm4v', 'mov', '3gp'] },
  mp3: only('audio/mpeg', 'mp3'),
  mpeg: only('video/mpeg', 'mpg', 'mpeg'),
  mpegts: only('video/mp2t', 'ts', 'mts', 'm2ts'),
  ogg: { audio: 'audio/ogg', video: 'video/ogg', extensions: ['ogg', 'oga', 'ogv', 'opus', 'spx'] },
  wav: only('audio/wav', 'wav', 'wave'),
};

const UNKNOWN = only('application/octet-stream', 'bin', ...Object.values(CONTAINERS).flatMap(({ extensions }) => extensions));

/** A recording that its client encrypted, and that is kept so. */
const SEALED = only('application/octet-stream', 'age');

const containerOf = (media: common.Media | undefined): Container => (media?.sealed ? SEALED : CONTAINERS[media?.format.split(',')[0] ?? ''] ?? UNKNOWN);

/** The media type of a recording by what was found in it, never by what its sender said. */
export function mediaTypeOf(media: common.Media | undefined): string {
  const { audio, video } = containerOf(media);
  return media?.hasVideo ? video : audio;
}

/** The extension of a recording by what was found in it: the sender's where such files have it, so that none opens a page or a program. */
export function extensionOf(media: common.Media | undefined, sent: string | undefined): string {
  const { extensions } = containerOf(media);
  return extensions.find((extension) => extension === sent) ?? extensions[0] ?? 'bin';
}
