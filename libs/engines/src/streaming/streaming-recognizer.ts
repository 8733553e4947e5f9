import type { ExpectedLanguages } from '../speech/recognize-expected-language.js';
import type { RecognizedWord } from '../speech/speech-recognizer.js';

/**
 * Says how a recognizer streams. `native`: the engine itself takes audio as it arrives. `local_agreement`: a chunk engine is called
 * again and again with the utterance so far. `endpointed`: a chunk engine is called once at the end of each utterance.
 */
export type StreamingMode = 'native' | 'local_agreement' | 'endpointed';

/** The end of an utterance: a pause, its maximum length, an order of the caller, or the end of the audio. */
export type Endpoint = 'silence' | 'length' | 'finalize' | 'end';

export interface StreamingRequest {
  /** BCP 47; undefined: as the engine does without one. */
  language?: string;
  /** Limits the detection where no language is named. */
  detection?: ExpectedLanguages;
  /** Terms to listen for. */
  vocabulary?: readonly string[];
  /** False: no `partial` is sent. */
  partials: boolean;
  /** A pause of this length ends an utterance. */
  silenceMs: number;
  /** An utterance that lasts this long is ended in its middle. */
  maxUtteranceMs: number;
  /** Ends the recognition at once. */
  signal: AbortSignal;
}

/** Audio (s16le, 16 kHz, one channel, any number of bytes), or the order to end the utterance that is being said. */
export type StreamingInput = { pcm: Uint8Array } | 'finalize';

/** Times are seconds from the start of the stream, to the millisecond. Utterances are counted from 1. */
export type StreamingEvent =
  | { type: 'speech_started'; at: number }
  | { type: 'speech_ended'; at: number }
  /** The words of an utterance so far; the first `stableCharacters` of the text will not change before its `final`. */
  | { type: 'partial'; utterance: number; revision: number; start: number; end: number; text: string; stableCharacters: number }
  /** The words of an utterance, once and for all; none when it turned out to have none. */
  | { type: 'final'; utterance: number; start: number; end: number; words: RecognizedWord[]; language?: string; endpoint: Endpoint }
  /** Everything before `until` is recognized: no later `final` begins before it. A recognition can begin anew there. */
  | { type: 'progress'; until: number }
  | { type: 'warning'; code: string; message: string };

export interface StreamingRecognizer {
  readonly mode: StreamingMode;
  /**
   * Recognizes audio while it arrives. `input` is read no faster than it is recognized; its end ends the last utterance. Finals come
   * in order of time and do not overlap; each is followed by the `progress` of its end.
   *
   * Restart: a recognition of the audio from the sample of a `progress` on gives the same events from there on, with times and utterances
   * counted from there, on an equal processor with an engine that gives the same for the same audio. The order of `speech_started`,
   * `speech_ended`, `final` and `progress` does not depend on how fast the engine is or how the audio is divided; that of `partial`
   * and `warning` does. Such a point is at a whole number of milliseconds, and so at a sample; only the end of the audio need not be.
   * @throws AppError engine_failed, engine_timeout, language_unsupported; canceled when the signal aborts; an error of `input` is thrown on.
   */
  recognize(input: AsyncIterable<StreamingInput>, request: StreamingRequest): AsyncIterable<StreamingEvent>;
}
