/** A bare word; times are seconds, as of the engine that recognised it. */
interface BareWord {
  start: number;
  end: number;
  text: string;
}

export interface PunctuationRequest {
  /** In order of time. */
  words: readonly BareWord[];
  /** BCP 47 */
  language: string;
  /** Cancels the work. A TimeoutError as its reason counts as the deadline. */
  signal: AbortSignal;
}

export interface Punctuation {
  /** The text of each word with the marks that follow it. */
  texts: string[];
  /** True when the texts also have the model's capitals. */
  hasCapitals: boolean;
}

/** Writes the punctuation of words that a speech engine gave without it. */
export interface Punctuator {
  readonly info: { name: string };
  /** Checks that its model is installed here. @throws AppError engine_failed that names what is missing */
  check(): Promise<void>;
  /**
   * @returns undefined when it does not write this language
   * @throws AppError engine_failed, also when the model changed a word; engine_timeout, canceled
   */
  punctuate(request: PunctuationRequest): Promise<Punctuation | undefined>;
  close(): Promise<void>;
}
