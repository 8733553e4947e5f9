import { events, type NewEvent } from '@parlance/contracts';
import { AppError, notFound } from '@parlance/platform';
import { mergedSpeakers, mergeInto } from '@parlance/transcript';
import type { TranscriptDocument } from './transcript-documents.js';

interface Change {
  document: TranscriptDocument;
  events: NewEvent[];
}

const { SPEAKERS_CHANGE_MERGED, SPEAKERS_CHANGE_RENAMED } = events.SpeakersChange;

/** @returns undefined when the name is as it was. @throws AppError not_found */
export function renamed(transcript: TranscriptDocument, speakerId: string, name: string): Change | undefined {
  const speaker = speakerOf(transcript, speakerId);
  if (speaker.name === name) return undefined;
  const speakers = transcript.speakers.map((each) => (each === speaker ? { ...each, name } : each));
  const document = { ...transcript, speakers, version: transcript.version + 1 };
  return { document, events: [speakersChanged(document, SPEAKERS_CHANGE_RENAMED)] };
}

/** @returns undefined when they are one already. @throws AppError not_found, invalid/same_speaker */
export function merged(transcript: TranscriptDocument, from: string, into: string): Change | undefined {
  speakerOf(transcript, into);
  const { merges = {} } = transcript;
  if (merges[from] === into) return undefined;
  speakerOf(transcript, from);
  if (from === into) throw new AppError({ kind: 'invalid', code: 'same_speaker', message: 'A speaker cannot be merged into itself.' });
  const speakers = mergedSpeakers(transcript.speakers, from, into);
  const document = { ...transcript, speakers, merges: mergeInto(merges, from, into), version: transcript.version + 1 };
  return { document, events: [speakersChanged(document, SPEAKERS_CHANGE_MERGED, { mergedFrom: from, mergedInto: into })] };
}

export const speakersChanged = (
  { id: jobId, accountId, version, speakers }: TranscriptDocument,
  change: events.SpeakersChange,
  merge: { mergedFrom?: string; mergedInto?: string } = {},
): NewEvent => ({
  type: 'transcript.speakers_changed',
  data: { jobId, accountId, version, change, speakerIds: speakers.map(({ speakerId }) => speakerId), ...merge },
});

function speakerOf({ speakers }: TranscriptDocument, speakerId: string) {
  const speaker = speakers.find((each) => each.speakerId === speakerId);
  if (speaker) return speaker;
  throw notFound(`The speaker ${speakerId}`);
}
