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

/** Counts the events of a recognition from the start of its session, where it began later. */
export class LiveMessages {
  private readonly seconds: number;

  constructor(private readonly origin: Pick<live.OpenRecognition, 'startSample' | 'utterancesBefore'>) {
    this.seconds = origin.startSample / SAMPLE_RATE;
  }

  final({ utterance, start, end, endpoint }: EventOf<'final'>, words: readonly MergedWord[]): Event {
    const number = utterance + this.origin.utterancesBefore;
    const moved = words.map((word) => ({ ...word, start: this.time(word.start), end: this.time(word.end) }));
    const segment = moved.length > 0 ? toSegment(moved, segmentId(number)) : this.empty(segmentId(number), start, end);
    return { $case: 'final', value: { utterance: number, segment, endpoint: ENDPOINTS[endpoint], untilSample: this.sample(end) } };
  }

  partial({ utterance, start, end, ...partial }: EventOf<'partial'>): Event {
    const { revision, text, stableCharacters } = partial;
    return { $case: 'partial', value: { utterance: utterance + this.origin.utterancesBefore, revision, start: this.time(start), end: this.time(end), text, stableCharacters } };
  }

  boundary({ type, at }: EventOf<'speech_started' | 'speech_ended'>): Event {
    return { $case: type === 'speech_started' ? 'speechStarted' : 'speechEnded', value: { at: this.time(at) } };
  }

  progress({ until }: EventOf<'progress'>): Event {
    return { $case: 'progress', value: { untilSample: this.sample(until) } };
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
