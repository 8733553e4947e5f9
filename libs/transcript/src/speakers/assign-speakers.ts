import { toSegment } from '../segments/segment-words.js';
import type { Segment, Word } from '../transcript.js';
import type { SpeakerTurn } from './speaker-turns.js';
import { TurnIndex } from './turn-index.js';
import { wordSpeakers } from './word-speakers.js';

/**
 * Segments with their speakers, split where the speaker changes. The first part keeps the segment's id, so that what refers to
 * it stays right; the others have it with a suffix: `seg_000012_2`. Segments that were split before are put together first:
 * the same turns give the same segments, however often. Holds one segment.
 */
export async function* assignSpeakers(segments: AsyncIterable<Segment> | Iterable<Segment>, turns: readonly SpeakerTurn[]): AsyncGenerator<Segment> {
  const index = new TurnIndex(turns);
  for await (const segment of wholeSegments(segments)) {
    // A channel that is transcribed apart is a speaker, whatever the turns say.
    if (segment.channel !== undefined) yield segment;
    else yield* splitBySpeaker(segment, index);
  }
}

async function* wholeSegments(segments: AsyncIterable<Segment> | Iterable<Segment>): AsyncGenerator<Segment> {
  let held: Segment | undefined;
  for await (const segment of segments) {
    if (held && isPartOf(segment, held)) held = { ...held, words: [...held.words, ...segment.words] };
    else {
      if (held) yield held;
      held = segment;
    }
  }
  if (held) yield held;
}

const isPartOf = ({ segmentId }: Segment, whole: Segment): boolean => segmentId.startsWith(`${whole.segmentId}_`);

function* splitBySpeaker(segment: Segment, turns: TurnIndex): Generator<Segment> {
  const { segmentId, words, language } = segment;
  if (words.length === 0) yield segment;
  const labels = wordSpeakers(words, turns);
  let part = 0;
  let held: Word[] = [];
  for (const [index, { speakerId: _, ...word }] of words.entries()) {
    const speakerId = labels[index];
    held.push(speakerId === undefined ? word : { ...word, speakerId });
    if (index < words.length - 1 && labels[index + 1] === speakerId) continue;
    part++;
    yield toSegment(held, part === 1 ? segmentId : `${segmentId}_${part}`, language);
    held = [];
  }
}
