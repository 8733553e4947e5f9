/** One recognised word; times are seconds from the start of the chunk, to the millisecond. */
export interface RecognizedWord {
  start: number;
  end: number;
  text: string;
  /** 0 to 1; absent when the engine gives none. Its meaning differs between engines, so compare it only within one. */
  confidence?: number | undefined;
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
  /** BCP 47: the language that the engine detected; absent when the request named one, and when it detects none. */
  language?: string;
  /** 0 to 1: how sure the engine is of `language`; absent when it does not say. */
  languageConfidence?: number;
  /** The probability of each language (BCP 47, 0 to 1), from an engine that gives them all. */
  languageProbabilities?: Readonly<Record<string, number>>;
  warnings?: RecognitionWarning[];
}

/** Says whether answers of an engine have a confidence; `sometimes` depends on the server or model behind it. */
export type EngineConfidence = 'always' | 'never' | 'sometimes';

export interface SpeechEngineInfo {
  /** Names the technology and the model, for instance `openai:whisper-1`. */
  name: string;
  /** True when the audio stays on this machine. */
  isLocal: boolean;
  /** BCP 47 primary subtags that the engine takes. */
  languages: readonly string[];
  /** True when word times are measured; false when they are estimated from longer segments. */
  wordTimes: boolean;
  vocabulary: boolean;
  /** True when its text has punctuation, capitals and figures; false when it is bare words. */
  formatsText: boolean;
  maxChunkSeconds: number;
  idealChunkSeconds: number;
  /** True when it transcribes any of its languages although the request names none. */
  detectsLanguage: boolean;
  /** True when it also says which language it detected. */
  reportsLanguage: boolean;
  wordConfidence: EngineConfidence;
  languageConfidence: EngineConfidence;
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
  /** Says that a call follows soon, of an engine that can get ready for it meanwhile. */
  prepare?(): void;
  close(): Promise<void>;
}
