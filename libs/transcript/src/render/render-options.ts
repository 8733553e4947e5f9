import type { Segment, TranscriptInfo } from '../transcript.js';
import type { CaptionOptions } from './caption-options.js';

export type TranscriptFormat = 'json' | 'txt' | 'srt' | 'vtt';

export interface RenderOptions extends CaptionOptions {
  /** Whether it says who speaks, where that is known. */
  speakers: boolean;
  /** Whether text and JSON say when; captions always do. */
  timestamps: boolean;
}

/** A transcript to render: its segments can be read as often as a format needs, and are never all held. */
export interface RenderSource {
  info: TranscriptInfo;
  segments: () => AsyncIterable<Segment>;
}

/** Names of speakers as they are now; an unknown speaker goes by its id. */
export function speakerNames({ info }: RenderSource): (speakerId: string) => string {
  const names = new Map(info.speakers.map(({ speakerId, name }) => [speakerId, name]));
  return (speakerId) => names.get(speakerId) ?? speakerId;
}
