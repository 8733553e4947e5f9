/** One recognised word; times are seconds from the start of the chunk, to the millisecond. */
export interface RecognizedWord {
  start: number;
  end: number;
  text: string;
  /** 0 to 1; what it means is the engine's own affair, so compare it only within one engine. */
  confidence: number;
}

export interface RecognitionRequest {
  /** Signed 16-bit little-endian samples, 16 kHz, one channel. */
  pcm: Uint8Array;
  /** BCP 47; undefined: detected where the engine can, else its only language. */
  language?: string;
  /** Terms to listen for; an engine without `vocabulary` answers with a warning. */
  vocabulary?: readonly string[];
  /** Cancels the work, the child process included. A TimeoutError as its reason counts as the deadline. */
  signal: AbortSignal;
}

export interface RecognitionWarning {
  /** A code of the public contract, in snake_case. */
  code: string;
  message: string;
}

export interface Recognition {
  /** In order of time, within the chunk. */
  words: RecognizedWord[];
  /** BCP 47. */
  language?: string;
  /** 0 to 1. */
  languageConfidence?: number;
  warnings?: RecognitionWarning[];
}

export interface SpeechEngineInfo {
  name: string;
  /** BCP 47 primary subtags that the engine takes. */
  languages: readonly string[];
  /** True when word times are measured; false when they are estimated from longer segments. */
  wordTimes: boolean;
  vocabulary: boolean;
  maxChunkSeconds: number;
  idealChunkSeconds: number;
  detectsLanguage: boolean;
  /** Chunks at once that this engine wants on this machine. */
  parallelism: number;
}

/**
 * Turns one chunk of audio into words.
 * `recognize` throws AppError: `language_unsupported`, `engine_failed` (also when it is not installed),
 * `engine_timeout`, `canceled`.
 */
export interface SpeechRecognizer {
  readonly info: SpeechEngineInfo;
  /**
   * Checks that everything it needs is installed here; a server is not called. @throws AppError engine_failed that names what
   * is missing
   */
  check(): Promise<void>;
  recognize(request: RecognitionRequest): Promise<Recognition>;
  close(): Promise<void>;
}
