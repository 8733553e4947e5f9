import type { StreamingRecognizer } from './streaming-recognizer.js';

/** A recognizer of live audio, and what is to be known of it beforehand. */
export interface StreamingEngine {
  /** Names the technology and the model, for instance `sherpa-online:zipformer-streaming-en`. */
  name: string;
  /** BCP 47 primary subtags that the engine takes. */
  languages: readonly string[];
  /** True when its text has punctuation, capitals and figures; false when it is bare words. */
  formatsText: boolean;
  recognizer: StreamingRecognizer;
  /** Checks that everything it needs is installed here; a server is not called. @throws AppError engine_failed that names what is missing */
  check(): Promise<void>;
  close(): Promise<void>;
}
