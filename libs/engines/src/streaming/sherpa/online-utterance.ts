import { toMilliseconds } from '../../speech/pcm-format.js';
import { wordsOfResult } from '../../speech/sherpa/words-of-result.js';
import type { RecognizedWord } from '../../speech/speech-recognizer.js';
import type { OnlineResult, OnlineStep } from './online-step.js';

/** An utterance begins so long before its first token: models write a token some time after its sound begins. Seconds. */
const LEAD_SECONDS = 0.25;
/** An utterance ends so long after its last token, but no later than in the middle of the pause that ended it. */
const TAIL_SECONDS = 0.3;
/** Without a token for so long, the stream begins anew: audio before is not needed any more. */
const QUIET_SECONDS = 4;
/** Kept of it: the start of a word that has no token yet. */
const KEPT_SECONDS = 1;

interface UtteranceLimits {
  silenceMs: number;
  maxUtteranceMs: number;
}

/** The place where a stream ends. Seconds from the start of the stream: the next one begins here. */
interface StreamCut {
  at: number;
  /** `quiet`: nothing was said. */
  endpoint: 'silence' | 'length' | 'quiet';
}

/** The recognition of a stream by a streaming model so far. All times are seconds from the start of the stream. */
export class OnlineUtterance {
  private result: OnlineResult = { text: '', tokens: [], timestamps: [], ys_probs: [] };
  /** The time of each token; that of the model is corrected, since it gives none (Paraformer) or a wrong one (NeMo's subsampling). */
  private times: number[] = [];
  private decoded = 0;

  constructor(private readonly limits: UtteranceLimits) {}

  /** The start of the utterance; undefined while nothing was said. */
  get start(): number | undefined {
    const [first] = this.times;
    return first === undefined ? undefined : toMilliseconds(Math.max(0, first - LEAD_SECONDS));
  }

  /** @returns true when words were added */
  accept({ decoded, result }: OnlineStep): boolean {
    const before = this.decoded;
    this.decoded = decoded;
    if (!result) return false;
    this.result = result;
    // A token comes from the audio of the step that added it.
    const added = result.tokens.slice(this.times.length).map((_, nth) => Math.min(Math.max(result.timestamps[this.times.length + nth] ?? before, before), decoded));
    this.times = [...this.times, ...added].slice(0, result.tokens.length);
    return true;
  }

  /** The end of the stream by the rules of sherpa-onnx's endpoint detection; undefined while it continues. */
  cut(): StreamCut | undefined {
    const last = this.times.at(-1);
    const { start } = this;
    if (last === undefined || start === undefined) return this.decoded < QUIET_SECONDS ? undefined : { at: toMilliseconds(this.decoded - KEPT_SECONDS), endpoint: 'quiet' };
    const silence = this.limits.silenceMs / 1000;
    if (this.decoded - last >= silence) return { at: toMilliseconds(last + Math.min(TAIL_SECONDS, silence / 2)), endpoint: 'silence' };
    return this.decoded - start >= this.limits.maxUtteranceMs / 1000 ? { at: this.placeToCut(start), endpoint: 'length' } : undefined;
  }

  /** @param until the end of the utterance. @param origin the start of the stream, from which the words' times are counted on */
  words(until: number, origin: number): RecognizedWord[] {
    const { text, tokens, ys_probs: logs } = this.result;
    const kept = this.times.findLastIndex((time) => time < until) + 1;
    const isWhole = kept === tokens.length;
    const result = {
      text: isWhole ? text : textOf(tokens.slice(0, kept)),
      tokens: tokens.slice(0, kept),
      timestamps: this.times.slice(0, kept),
      durations: [],
      ys_log_probs: logs.length === tokens.length ? logs.slice(0, kept) : [],
      lang: '',
      segment_timestamps: [],
      segment_durations: [],
      segment_texts: [],
    };
    return wordsOfResult(result, origin, until);
  }

  /** Before the last word, which may not be complete: between its first token and the one before. Without a second word, here. */
  private placeToCut(start: number): number {
    const nth = this.result.tokens.findLastIndex((token) => /^[\s▁]/u.test(token));
    const [before, first] = [this.times[nth - 1], this.times[nth]];
    if (before === undefined || first === undefined || first <= before || before - start < this.limits.maxUtteranceMs / 2000) return toMilliseconds(this.decoded);
    return toMilliseconds((before + first) / 2);
  }
}

const textOf = (tokens: readonly string[]): string => tokens.join('').replaceAll('▁', ' ').trim();
