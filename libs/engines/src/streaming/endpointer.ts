/** Speech begins at this probability, and ends 0.15 below it, as in recordings (speech-regions.mjs). */
const SPEECH_FROM = 0.5;
const SPEECH_TO = 0.35;
/** Shorter sounds are clicks. */
const MIN_SPEECH_WINDOWS = 3;
/** Kept before the first window of speech, 0.26 s: the voice activity model notices a soft onset late. */
const LEAD_WINDOWS = 8;
/** Kept after the last window of speech, 0.19 s. */
const TAIL_WINDOWS = 6;
/** A pause of 2 s is a place to begin anew, when its last windows are quiet. */
const PAUSE_WINDOWS = 63;
/** A long utterance ends at the next window that is less certain than this, before its maximum length ends it anywhere. */
const DOUBT = 0.7;
const LONG_PART = 0.75;
const WINDOW_MS = 32;

/** A stretch of speech that has ended; positions are windows from the start of the stream. */
export interface SpokenStretch {
  start: number;
  end: number;
  endpoint: 'silence' | 'length' | 'finalize' | 'end';
}

export interface EndpointerOptions {
  silenceMs: number;
  maxUtteranceMs: number;
}

/**
 * Finds one utterance in the probabilities of speech of successive windows; after it, or after a long pause, another endpointer begins
 * at a position that this one names. Its clock is that of the audio.
 */
export class Endpointer {
  private now: number;
  /** Windows of speech in a row while nothing is said yet, and windows without speech in a row. */
  private loud = 0;
  private quiet = 0;
  private startedAt: number | undefined;
  /** The end of the last window of speech. */
  private spokeUntil = 0;

  /** @param origin the window of the stream that comes first */
  constructor(
    private readonly options: EndpointerOptions,
    private readonly origin = 0,
  ) {
    this.now = origin;
  }

  /** The start of the utterance that is being said; undefined in a pause. */
  get start(): number | undefined {
    return this.startedAt;
  }

  /** The utterance that is being said holds at least the audio before this window. */
  get certainUntil(): number {
    return Math.min(this.now, this.spokeUntil + TAIL_WINDOWS);
  }

  /** Audio before this window belongs to no later utterance. */
  get settledUntil(): number {
    return this.startedAt ?? Math.max(this.origin, this.now - LEAD_WINDOWS - this.loud);
  }

  /** The window at which another endpointer can begin in a long pause. */
  get restart(): number | undefined {
    const isLongPause = this.startedAt === undefined && this.now - this.origin >= PAUSE_WINDOWS && this.quiet >= LEAD_WINDOWS;
    return isLongPause ? this.now - LEAD_WINDOWS : undefined;
  }

  /** @returns the utterance that ended with this window. It is the last of this endpointer. */
  accept(probability: number): SpokenStretch | undefined {
    this.now += 1;
    return this.startedAt === undefined ? this.wait(probability) : this.follow(this.startedAt, probability);
  }

  /** Ends the utterance that is being said, if there is one. */
  endNow(endpoint: 'finalize' | 'end'): SpokenStretch | undefined {
    return this.startedAt === undefined ? undefined : { start: this.startedAt, end: this.now, endpoint };
  }

  private wait(probability: number): undefined {
    const isLoud = probability > SPEECH_FROM;
    this.loud = isLoud ? this.loud + 1 : 0;
    this.quiet = isLoud ? 0 : this.quiet + 1;
    // At the beginning, a short sound may be the rest of an utterance that was cut, and is no click.
    const needed = this.now - this.origin <= MIN_SPEECH_WINDOWS ? 1 : MIN_SPEECH_WINDOWS;
    if (this.loud < needed) return undefined;
    this.startedAt = Math.max(this.origin, this.now - this.loud - LEAD_WINDOWS);
    this.spokeUntil = this.now;
    return undefined;
  }

  private follow(start: number, probability: number): SpokenStretch | undefined {
    if (probability > SPEECH_TO) this.spokeUntil = this.now;
    const silenceMs = (this.now - this.spokeUntil) * WINDOW_MS;
    if (silenceMs >= this.options.silenceMs) return { start, end: this.certainUntil, endpoint: 'silence' };
    const lengthMs = (this.now - start) * WINDOW_MS;
    const isTooLong = lengthMs >= this.options.maxUtteranceMs || (lengthMs >= LONG_PART * this.options.maxUtteranceMs && probability < DOUBT);
    return isTooLong ? { start, end: this.now, endpoint: 'length' } : undefined;
  }
}
