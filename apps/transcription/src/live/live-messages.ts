import { live } from '@parlance/contracts';
import { SAMPLE_RATE, type Endpoint, type StreamingEvent, type StreamingMode } from '@parlance/engines';
import { roundToMs, segmentId, toSegment, type MergedWord, type Segment } from '@parlance/transcript';

const ENDPOINTS: Readonly<Record<Endpoint, live.Endpoint>> = {
  silence: live.Endpoint.ENDPOINT_SILENCE,
  length: live.Endpoint.ENDPOINT_LENGTH,
  finalize: live.Endpoint.ENDPOINT_FINALIZE,
  end: live.Endpoint.ENDPOINT_END,
};

export const MODES: Readonly<Record<StreamingMode, live.StreamingMode>> = {
  native: live.StreamingMode.STREAMING_MODE_NATIVE,
  local_agreement: live.StreamingMode.STREAMING_MODE_LOCAL_AGREEMENT,
  endpointed: live.StreamingMode.STREAMING_MODE_ENDPOINTED,
};

type Event = NonNullable<live.RecognizeResponse['event']>;
type EventOf<T extends StreamingEvent['type']> = Extract<StreamingEvent, { type: T }>;

/**
 * Counts the events of a recognition from the start of its session, where it began later. Only utterances with words count: the number of
 * one that turned out to have none goes to the next one. So it is also that of the segment in the transcript.
 */
export class LiveMessages {
  private readonly seconds: number;
  private wordless = 0;
  /** Revisions of this number that were sent, and those of them for utterances without words. */
  private revision = 0;
  private withdrawn = 0;

  constructor(private readonly origin: Pick<live.OpenRecognition, 'startSample' | 'utterancesBefore'>) {
    this.seconds = origin.startSample / SAMPLE_RATE;
  }

  final({ utterance, start, end, endpoint }: EventOf<'final'>, words: readonly MergedWord[], isPunctuated = false): Event {
    const number = this.numberOf(utterance);
    this.count(words.length > 0);
    const moved = words.map((word) => ({ ...word, start: this.time(word.start), end: this.time(word.end) }));
    const segment = moved.length > 0 ? toSegment(moved, segmentId(number)) : this.empty(segmentId(number), start, end);
    return { $case: 'final', value: { utterance: number, segment, endpoint: ENDPOINTS[endpoint], untilSample: this.sample(end), isPunctuated } };
  }

  partial({ utterance, start, end, ...partial }: EventOf<'partial'>): Event {
    const { text, stableCharacters } = partial;
    this.revision = this.withdrawn + partial.revision;
    return { $case: 'partial', value: { utterance: this.numberOf(utterance), revision: this.revision, start: this.time(start), end: this.time(end), text, stableCharacters } };
  }

  boundary({ type, at }: EventOf<'speech_started' | 'speech_ended'>): Event {
    return { $case: type === 'speech_started' ? 'speechStarted' : 'speechEnded', value: { at: this.time(at) } };
  }

  progress({ until }: EventOf<'progress'>): Event {
    return { $case: 'progress', value: { untilSample: this.sample(until) } };
  }

  private numberOf(utterance: number): number {
    return this.origin.utterancesBefore + utterance - this.wordless;
  }

  private count(hasWords: boolean): void {
    if (!hasWords) this.wordless += 1;
    // Withdrawing what was shown is a revision too.
    this.withdrawn = hasWords || this.revision === 0 ? 0 : this.revision + 1;
    this.revision = this.withdrawn;
  }

  private empty(id: string, start: number, end: number): Segment {
    return { segmentId: id, start: this.time(start), end: this.time(end), text: '', words: [] };
  }

  private time(seconds: number): number {
    return roundToMs(this.seconds + seconds);
  }

  private sample(seconds: number): number {
    return this.origin.startSample + Math.round(seconds * SAMPLE_RATE);
  }
}
