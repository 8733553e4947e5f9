import { withMerges, type Segment } from '@parlance/transcript';
import type { TranscriptDocument } from './transcript-documents.js';

/** Gives segments their present speakers. Pages are written before the transcript says that it has speakers, and are not changed when speakers are merged. */
export function spokenView({ turns, merges }: Pick<TranscriptDocument, 'turns' | 'merges'>): (segment: Segment) => Segment {
  if (!turns) return withoutSpeakers;
  return merges ? (segment) => withMerges(segment, merges) : (segment) => segment;
}

function withoutSpeakers({ speakerId: _speaker, words, ...segment }: Segment): Segment {
  return { ...segment, words: words.map(({ speakerId: _speaker, ...word }) => word) };
}
