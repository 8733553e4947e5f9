import type { TokenUsage } from '@parlance/engines';
import type { SpokenLine } from '@parlance/text-analysis';

/** Consecutive segments that are translated together. */
export interface TranslationBatch {
  /** The index of the first one in the transcript. */
  first: number;
  lines: readonly SpokenLine[];
  /** Segments beside them, for the context alone. */
  before: readonly SpokenLine[];
  after: readonly SpokenLine[];
}

export interface TranslatedBatch {
  /** A text for each segment of the batch. */
  texts: string[];
  usage?: TokenUsage | undefined;
}

/** Translates segments of a transcript. `translate` throws the errors of the language model. */
export interface Translator {
  /** For instance `openai:gpt-4o-mini`. */
  readonly name: string;
  /** BCP 47 primary subtags of the languages it translates into; empty: no restriction is known. */
  readonly languages: readonly string[];
  /** All segments in order, in batches that fit into one call each. */
  batches(lines: readonly SpokenLine[]): TranslationBatch[];
  /** @param language BCP 47 */
  translate(batch: TranslationBatch, language: string, signal: AbortSignal): Promise<TranslatedBatch>;
}
