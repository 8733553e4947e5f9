import { withMerges, type Segment } from '@parlance/transcript';
import type { TranscriptDocument } from './transcript-documents.js';

type Speakers = Pick<TranscriptDocument, 'turns' | 'channels' | 'merges'>;

/** Gives segments their present speakers. Pages are written before the transcript says that it has speakers, and are not changed when speakers are merged. */
export function spokenView({ turns, channels, merges }: Speakers): (segment: Segment) => Segment {
  if (!turns && channels === undefined) return withoutSpeakers;
  return merges ? (segment) => withMerges(segment, merges) : (segment) => segment;
}

/** The present speaker of a segment. */
export function speakerNow({ turns, channels, merges = {} }: Speakers): (segment: Segment) => string | undefined {
  if (!turns && channels === undefined) return () => undefined;
  return ({ speakerId }) => (speakerId === undefined ? undefined : (merges[speakerId] ?? speakerId));
}

function withoutSpeakers({ speakerId: _speaker, words, ...segment }: Segment): Segment {
  return { ...segment, words: words.map(({ speakerId: _speaker, ...word }) => word) };
}
