import { WINDOW_BYTES, type SpeechProbabilities, type SpeechProbabilityStream } from '../voice-activity/speech-probabilities.js';
import { Endpointer, type EndpointerOptions, type SpokenStretch } from './endpointer.js';
import { UtteranceAudio } from './utterance-audio.js';

const WINDOW_SAMPLES = WINDOW_BYTES / 2;
/** Windows that are judged at once, about a second: what comes after the end of an utterance is judged a second time. */
const MAX_WINDOWS = 32;

/** Positions are samples from the start of the stream. */
export interface Utterance {
  start: number;
  end: number;
  endpoint: SpokenStretch['endpoint'];
  /** Its audio. */
  pcm: Uint8Array;
}

export type Found = { type: 'started'; at: number } | { type: 'ended'; utterance: Utterance } | { type: 'pause'; until: number };

/**
 * Finds the utterances of a stream. At the end of each, and in long pauses, the voice activity model and the endpointer begin anew. So
 * whatever is found behind such a point follows from the audio behind it alone, and another finder that begins there finds the same.
 */
export class UtteranceFinder {
  private readonly audio = new UtteranceAudio();
  private stream: SpeechProbabilityStream;
  private endpointer: Endpointer;
  /** Windows of the stream that are judged. */
  private judged = 0;

  constructor(
    private readonly speech: SpeechProbabilities,
    private readonly options: EndpointerOptions,
  ) {
    this.stream = speech.open();
    this.endpointer = new Endpointer(options);
  }

  /** Samples. */
  get receivedUntil(): number {
    return this.audio.end;
  }

  /** The start of the utterance that is being said, in samples; undefined in a pause. */
  get start(): number | undefined {
    return this.endpointer.start === undefined ? undefined : this.endpointer.start * WINDOW_SAMPLES;
  }

  /** The audio of the utterance that is being said so far. */
  spoken(): Uint8Array {
    return this.audio.slice(this.start ?? this.audio.end, this.audio.end);
  }

  /** Its audio as far as it will not be shortened at the end, without the pause that may end it. */
  certainlySpoken(): Uint8Array {
    return this.audio.slice(this.start ?? this.audio.end, this.endpointer.certainUntil * WINDOW_SAMPLES);
  }

  /** @param pcm any number of bytes */
  async *find(pcm: Uint8Array): AsyncGenerator<Found> {
    this.audio.append(pcm);
    for (let windows = this.unjudged(); windows > 0; windows = this.unjudged()) {
      const blocks = this.audio.parts(this.judged * WINDOW_SAMPLES, (this.judged + windows) * WINDOW_SAMPLES);
      yield* this.acceptAll(await this.stream.judge(blocks));
      this.audio.dropBefore(this.endpointer.settledUntil * WINDOW_SAMPLES);
    }
  }

  /** Ends the utterance that is being said with its last whole window; in a pause, what follows begins anew there. */
  finalize(): Found {
    const stretch = this.endpointer.endNow('finalize');
    if (stretch) return this.end(stretch, stretch.end * WINDOW_SAMPLES);
    this.beginAt(this.judged);
    return { type: 'pause', until: this.judged * WINDOW_SAMPLES };
  }

  /** Ends the utterance that is being said with the audio: the samples behind the last whole window belong to it. */
  finish(): Found | undefined {
    const stretch = this.endpointer.endNow('end');
    return stretch && this.end(stretch, this.audio.end);
  }

  close(): void {
    this.stream.close();
  }

  private unjudged(): number {
    return Math.min(Math.floor(this.audio.end / WINDOW_SAMPLES) - this.judged, MAX_WINDOWS);
  }

  /** Ends where the endpointer begins anew: the probabilities behind it are of a model with another past. */
  private *acceptAll(probabilities: readonly number[]): Generator<Found> {
    for (const probability of probabilities) {
      const { endpointer } = this;
      const found = this.accept(probability);
      if (found) yield found;
      if (endpointer !== this.endpointer) return;
    }
  }

  private accept(probability: number): Found | undefined {
    this.judged += 1;
    const wasQuiet = this.start === undefined;
    const ended = this.endpointer.accept(probability);
    if (ended) return this.end(ended, ended.end * WINDOW_SAMPLES);
    if (wasQuiet && this.start !== undefined) return { type: 'started', at: this.start };
    const { restart } = this.endpointer;
    if (restart === undefined) return undefined;
    this.beginAt(restart);
    return { type: 'pause', until: restart * WINDOW_SAMPLES };
  }

  private end(stretch: SpokenStretch, end: number): Found {
    const start = stretch.start * WINDOW_SAMPLES;
    const utterance = { start, end, endpoint: stretch.endpoint, pcm: this.audio.slice(start, end) };
    this.beginAt(stretch.end);
    return { type: 'ended', utterance };
  }

  private beginAt(window: number): void {
    this.stream.close();
    this.stream = this.speech.open();
    this.endpointer = new Endpointer(this.options, window);
    this.judged = window;
  }
}
