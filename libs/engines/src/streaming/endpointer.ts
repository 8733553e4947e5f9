import { toMilliseconds } from '../speech/pcm-format.js';
import { WINDOW_SECONDS } from '../voice-activity/speech-probabilities.js';

/** Speech begins at this probability, and ends 0.15 below it, as in recordings (speech-regions.mjs). */
const SPEECH_FROM = 0.5;
const SPEECH_TO = 0.35;
/** Shorter sounds are clicks. */
const MIN_SPEECH_WINDOWS = 3;
/** Kept before the first window of speech: the voice activity model notices a soft onset late. */
const LEAD_SECONDS = 0.25;
/** Kept after the last window of speech. */
const TAIL_SECONDS = 0.2;
/** A long utterance ends at the next window that is less certain than this, before its maximum length ends it anywhere. */
const DOUBT = 0.7;
const LONG_PART = 0.75;

/** A stretch of speech that has ended; seconds from the start of the stream. */
export interface SpokenStretch {
  start: number;
  end: number;
  endpoint: 'silence' | 'length' | 'finalize' | 'end';
}

interface EndpointerOptions {
  silenceMs: number;
  maxUtteranceMs: number;
}

/** Finds the utterances of a stream from the probabilities of speech of its windows. Its clock is that of the audio. */
export class Endpointer {
  private judged = 0;
  /** Windows of speech in a row while nothing is said yet. */
  private loud = 0;
  private startedAt: number | undefined;
  /** The end of the last window of speech. */
  private spokeUntil = 0;
  /** Utterances do not overlap. */
  private earliestStart = 0;

  constructor(private readonly options: EndpointerOptions) {}

  /** The start of the utterance that is being said, in seconds; undefined in a pause. */
  get start(): number | undefined {
    return this.startedAt;
  }

  /** Audio before this moment belongs to no later utterance. Seconds. */
  get settledUntil(): number {
    return this.startedAt ?? Math.max(this.earliestStart, this.now - LEAD_SECONDS - this.loud * WINDOW_SECONDS);
  }

  /** @returns the utterance that ended with this window */
  accept(probability: number): SpokenStretch | undefined {
    this.judged += 1;
    return this.startedAt === undefined ? this.wait(probability) : this.follow(this.startedAt, probability);
  }

  /** Ends the utterance that is being said, if there is one. */
  endNow(endpoint: 'finalize' | 'end'): SpokenStretch | undefined {
    return this.startedAt === undefined ? undefined : this.end(this.startedAt, this.now, endpoint);
  }

  private get now(): number {
    return this.judged * WINDOW_SECONDS;
  }

  private wait(probability: number): undefined {
    this.loud = probability > SPEECH_FROM ? this.loud + 1 : 0;
    if (this.loud < MIN_SPEECH_WINDOWS) return undefined;
    this.startedAt = toMilliseconds(Math.max(this.earliestStart, this.now - this.loud * WINDOW_SECONDS - LEAD_SECONDS));
    this.spokeUntil = this.now;
    this.loud = 0;
    return undefined;
  }

  private follow(start: number, probability: number): SpokenStretch | undefined {
    if (probability > SPEECH_TO) this.spokeUntil = this.now;
    const silence = this.now - this.spokeUntil;
    if (silence * 1000 >= this.options.silenceMs) return this.end(start, Math.min(this.now, this.spokeUntil + TAIL_SECONDS), 'silence');
    const length = (this.now - start) * 1000;
    const isTooLong = length >= this.options.maxUtteranceMs || (length >= LONG_PART * this.options.maxUtteranceMs && probability < DOUBT);
    return isTooLong ? this.end(start, this.now, 'length') : undefined;
  }

  private end(start: number, end: number, endpoint: SpokenStretch['endpoint']): SpokenStretch {
    this.startedAt = undefined;
    this.earliestStart = end;
    // Speech that was cut continues with the next window of speech. Only after a pause, a click must be distinguished from speech.
    this.loud = endpoint === 'silence' ? 0 : MIN_SPEECH_WINDOWS - 1;
    return { start, end: toMilliseconds(end), endpoint };
  }
}
