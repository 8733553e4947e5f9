import type { common } from '@parlance/contracts';

interface Container {
  audio: string;
  video: string;
  extension: string;
}

const only = (type: string, extension: string): Container => ({ audio: type, video: type, extension });

/** By the first of ffprobe's names for a format. */
const CONTAINERS: Readonly<Record<string, Container>> = {
  aac: only('audio/aac', 'aac'),
  aiff: only('audio/aiff', 'aiff'),
  amr: only('audio/amr', 'amr'),
  asf: { audio: 'audio/x-ms-wma', video: 'video/x-ms-wmv', extension: 'asf' },
  avi: only('video/x-msvideo', 'avi'),
  flac: only('audio/flac', 'flac'),
  flv: only('video/x-flv', 'flv'),
  matroska: { audio: 'audio/webm', video: 'video/webm', extension: 'webm' },
  mov: { audio: 'audio/mp4', video: 'video/mp4', extension: 'mp4' },
  mp3: only('audio/mpeg', 'mp3'),
  mpeg: only('video/mpeg', 'mpg'),
  mpegts: only('video/mp2t', 'ts'),
  ogg: { audio: 'audio/ogg', video: 'video/ogg', extension: 'ogg' },
  wav: only('audio/wav', 'wav'),
};

const UNKNOWN = only('application/octet-stream', 'bin');

/** A recording that its client encrypted, and that is kept so. */
const SEALED = only('application/octet-stream', 'age');

const containerOf = (media: common.Media | undefined): Container => (media?.sealed ? SEALED : CONTAINERS[media?.format.split(',')[0] ?? ''] ?? UNKNOWN);

/** The media type of a recording by what was found in it, never by what its sender said. */
export function mediaTypeOf(media: common.Media | undefined): string {
  const { audio, video } = containerOf(media);
  return media?.hasVideo ? video : audio;
}

/** The extension of a file without a name of its own. */
export const extensionOf = (media: common.Media | undefined): string => containerOf(media).extension;
