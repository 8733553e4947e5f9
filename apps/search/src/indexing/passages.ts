import type { transcripts } from '@parlance/contracts';
import type { Passage } from '@parlance/search-index';
import { separator } from '@parlance/transcript';

/** Characters: two to four sentences, so that a passage is about one thing and a snippet shows most of it. */
const WANTED_LENGTH = 240;
const MAX_LENGTH = 480;
/** Seconds of silence after which something else is likely to begin. */
const LONG_PAUSE = 4;

type Segment = Pick<transcripts.Segment, 'segmentId' | 'start' | 'end' | 'speakerId' | 'text'>;
type SpeakerNames = ReadonlyMap<string, string>;

/** Segments as passages: a few that follow one another within one turn of one speaker. */
export async function* passagesOf(segments: AsyncIterable<Segment>, language: string, speakers: SpeakerNames): AsyncGenerator<Passage> {
  let held: Segment[] = [];
  let length = 0;
  for await (const segment of segments) {
    if (segment.text.trim() === '') continue;
    if (held.length > 0 && endsBefore(held, length, segment)) {
      yield passageOf(held, language, speakers);
      held = [];
      length = 0;
    }
    held.push(segment);
    length += segment.text.length;
  }
  if (held.length > 0) yield passageOf(held, language, speakers);
}

function endsBefore(held: readonly Segment[], length: number, next: Segment): boolean {
  const last = held.at(-1) as Segment;
  if (next.speakerId !== last.speakerId || next.start - last.end > LONG_PAUSE) return true;
  return length >= WANTED_LENGTH || length + next.text.length > MAX_LENGTH;
}

function passageOf(segments: readonly Segment[], language: string, speakers: SpeakerNames): Passage {
  const [first, last] = [segments[0] as Segment, segments.at(-1) as Segment];
  const times: [number, number][] = [];
  let text = '';
  for (const segment of segments) {
    if (text !== '') text += separator(text, segment.text);
    times.push([text.length, segment.start]);
    text += segment.text;
  }
  const { speakerId } = first;
  const name = speakerId === undefined ? undefined : speakers.get(speakerId);
  const speaker = speakerId === undefined ? {} : { speaker: { id: speakerId, ...(name !== undefined && { name }) } };
  return { id: first.segmentId, language, ...speaker, start: first.start, end: last.end, text, times };
}
