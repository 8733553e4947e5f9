import type { Segment, TranscriptInfo } from '../transcript.js';
import type { CaptionOptions } from './caption-options.js';

export interface RenderOptions extends CaptionOptions {
  /** True to name the speakers when they are known. */
  speakers: boolean;
  /** True to include times in text and JSON; captions always do. */
  timestamps: boolean;
}

/** A transcript to render: its segments can be read as often as a format needs, and are never all held. */
export interface RenderSource {
  info: TranscriptInfo;
  segments: () => AsyncIterable<Segment>;
}

/** A transcript in a format that is no text. */
export interface RenderedBytes {
  /** Characters that the format does not have, and that are written as others or left out. */
  replacedCharacters: number;
  pieces: AsyncIterable<Uint8Array>;
}

/** Names of speakers as they are now; an unknown speaker goes by its id. */
export function speakerNames({ info }: RenderSource): (speakerId: string) => string {
  const names = new Map(info.speakers.map(({ speakerId, name }) => [speakerId, name]));
  return (speakerId) => names.get(speakerId) ?? speakerId;
}
