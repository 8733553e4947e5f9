import { withMerges, type Segment } from '@parlance/transcript';
import type { TranscriptDocument } from './transcript-documents.js';

/** How a transcript's segments read now: pages are written before the transcript says that they have speakers, and stay when speakers are merged. */
export function spokenView({ turns, merges }: Pick<TranscriptDocument, 'turns' | 'merges'>): (segment: Segment) => Segment {
  if (!turns) return withoutSpeakers;
  return merges ? (segment) => withMerges(segment, merges) : (segment) => segment;
}

function withoutSpeakers({ speakerId: _speaker, words, ...segment }: Segment): Segment {
  return { ...segment, words: words.map(({ speakerId: _speaker, ...word }) => word) };
}
