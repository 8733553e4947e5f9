export interface EmbeddingRequest {
  texts: readonly string[];
  /** Some models embed a question otherwise than the passage that answers it. */
  purpose: 'passage' | 'query';
  /** Cancels the call. A TimeoutError as its reason counts as the deadline. */
  signal: AbortSignal;
}

export interface EmbeddingModelInfo {
  /** Vectors of different names cannot be compared; an index remembers the name it was made with. */
  name: string;
  dimensions: number;
  /** BCP 47 primary subtags whose meaning it knows; empty: no restriction is known. */
  languages: readonly string[];
  /** Longer texts are cut by the engine. */
  maxTokens: number;
  /** Texts it takes in one call. */
  maxBatch: number;
}

/**
 * Turns texts into vectors that lie close where the meaning is close.
 * `embed` throws AppError: `engine_failed`, `engine_timeout`, `engine_rate_limited`, `canceled`.
 */
export interface TextEmbedder {
  readonly info: EmbeddingModelInfo;
  /**
   * One vector a text, in their order, each of length 1, so that the dot product is the cosine;
   * undefined for a text without anything the model knows (empty, or another script), since zero vectors have no direction.
   * Those of a call may lie in the same memory.
   */
  embed(request: EmbeddingRequest): Promise<(Float32Array | undefined)[]>;
  close(): Promise<void>;
}
