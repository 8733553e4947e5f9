export interface LanguageModelMessage {
  /** `system` holds our instructions; transcripts and questions are data and come as `user`. */
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface GenerationRequest {
  messages: readonly LanguageModelMessage[];
  /** The answer's JSON Schema (draft 2020-12); undefined: free text. The adapter asks for it natively where the server can. */
  schema?: { name: string; definition: Record<string, unknown> };
  maxOutputTokens?: number;
  /** 0 (repeatable as far as the engine can) to 2; the engine's own default when undefined. */
  temperature?: number;
  /** Cancels the call. A TimeoutError as its reason counts as the deadline. */
  signal: AbortSignal;
}

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

export interface Generation {
  /** With a schema: JSON text, not yet checked; the caller validates and may try again with the errors. */
  text: string;
  /** `length`: cut off by a limit, so that JSON is likely broken; `filtered`: the engine refused. */
  finishReason: 'complete' | 'length' | 'filtered';
  usage?: TokenUsage;
}

/** Pieces of the text in order, then once how it ended. */
export type GenerationEvent = { type: 'delta'; text: string } | ({ type: 'end' } & Omit<Generation, 'text'>);

export interface LanguageModelInfo {
  /** For instance `openai:gpt-4o-mini`. */
  name: string;
  /** BCP 47 primary subtags it is good at; empty: no restriction is known. */
  languages: readonly string[];
  /** Tokens of request and answer together; what is longer is the caller's to cut up. */
  contextTokens: number;
  /** The maximum tokens of one answer; the default of `maxOutputTokens`. */
  maxOutputTokens: number;
}

/**
 * Writes text from text.
 * Both calls throw AppError: `engine_failed`, `engine_timeout`, `engine_rate_limited` (retryable, with `retryAfter` where known),
 * `engine_refused` where a server refuses before the model answers, `canceled`.
 */
export interface LanguageModel {
  readonly info: LanguageModelInfo;
  generate(request: GenerationRequest): Promise<Generation>;
  /** Leaving the loop cancels the call. */
  stream(request: GenerationRequest): AsyncIterable<GenerationEvent>;
  /** Tokens the text takes, exact or a safe upper estimate; for cutting long transcripts to fit. */
  countTokens(text: string): number;
  close(): Promise<void>;
}
