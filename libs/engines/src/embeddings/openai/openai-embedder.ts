import { keepSuccess } from '@parlance/platform';
import { z } from 'zod';
import { MAX_ANSWER_BYTES } from '../../openai/bounded-answer.js';
import { connectOpenAi } from '../../openai/openai-client.js';
import { openAiFailure, type ServerWords } from '../../openai/openai-failure.js';
import { canceledEmbedding, embeddingFailed, embeddingRateLimited, embeddingTimeout } from '../embedding-errors.js';
import type { EmbeddingModelInfo, EmbeddingRequest, TextEmbedder } from '../text-embedder.js';

export interface OpenAiEmbedderOptions {
  /** Up to and with `/v1`. */
  baseUrl: string;
  /** Servers of one's own often want none. */
  apiKey?: string;
  model: string;
  /** That the vectors must have. */
  dimensions: number;
  /** True to request this many dimensions, for models that can shorten their vectors. Default: for OpenAI's `text-embedding-3-…`. */
  sendDimensions?: boolean;
  /** Texts a call; default 128, OpenAI takes 2048. */
  maxBatch?: number;
  /** The maximum number of tokens of one text; default 8191. Longer texts are cut before they are sent. */
  maxTokens?: number;
  /** The time limit of one attempt; default 60. */
  timeoutSeconds?: number;
  /** Further tries of the SDK on 408, 409, 429, 5xx and lost connections, after Retry-After or 0.5–8 s; default 3. */
  maxRetries?: number;
  /** Some models want them before each text, such as `query: ` and `passage: ` (E5). */
  queryPrefix?: string;
  passagePrefix?: string;
  fetch?: typeof globalThis.fetch;
}

const DEFAULT_BATCH = 128;
const DEFAULT_TOKENS = 8191;
/** Fewer than any tokenizer has for common text in Latin letters: cutting early costs little, a refused text all of it. */
const CHARACTERS_A_TOKEN = 2;

/** Bytes of one number of a vector in JSON: the digits of a double with white space before it. */
const BYTES_A_NUMBER = 40;

const ANSWER = z.object({ data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()) })) });

/** Any server with OpenAI's `POST /embeddings`: OpenAI, vLLM, text-embeddings-inference, Ollama, llama.cpp. */
export class OpenAiEmbedder implements TextEmbedder {
  readonly info: EmbeddingModelInfo;
  readonly #sendsDimensions: boolean;
  readonly #connect = keepSuccess(() => {
    const maxAnswerBytes = Math.max(MAX_ANSWER_BYTES, this.info.maxBatch * this.info.dimensions * BYTES_A_NUMBER);
    return connectOpenAi({ timeoutSeconds: 60, ...this.options, maxAnswerBytes });
  });

  constructor(private readonly options: OpenAiEmbedderOptions) {
    const { model, dimensions, maxBatch = DEFAULT_BATCH, maxTokens = DEFAULT_TOKENS } = options;
    this.#sendsDimensions = options.sendDimensions ?? model.startsWith('text-embedding-3');
    this.info = { name: `openai:${model}:${dimensions}`, dimensions, languages: [], maxTokens, maxBatch };
  }

  async embed({ texts, purpose, signal }: EmbeddingRequest): Promise<(Float32Array | undefined)[]> {
    const prefix = (purpose === 'query' ? this.options.queryPrefix : this.options.passagePrefix) ?? '';
    const wanted = texts.map((text) => text.trim().slice(0, this.info.maxTokens * CHARACTERS_A_TOKEN).toWellFormed());
    const asked = wanted.flatMap((text, index) => (text === '' ? [] : [index]));
    const vectors: (Float32Array | undefined)[] = texts.map(() => undefined);
    for (let from = 0; from < asked.length; from += this.info.maxBatch) {
      const batch = asked.slice(from, from + this.info.maxBatch);
      const answers = await this.#ask(batch.map((index) => prefix + (wanted[index] as string)), signal);
      batch.forEach((index, place) => (vectors[index] = answers[place]));
    }
    return vectors;
  }

  async close(): Promise<void> {}

  async #ask(input: string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]> {
    if (signal.aborted) throw canceledEmbedding(signal);
    const { model, dimensions } = this.options;
    const { sdk, client } = await this.#connect();
    const asked = { model, input, encoding_format: 'float', ...(this.#sendsDimensions && { dimensions }) } as const;
    const answer = await client.embeddings.create(asked, { signal }).catch((error: unknown) => {
      throw signal.aborted ? canceledEmbedding(signal) : openAiFailure(error, sdk, WORDS);
    });
    return this.#vectorsOf(answer, input.length);
  }

  /** In the order of the texts, whatever theirs is. */
  #vectorsOf(answer: unknown, count: number): (Float32Array | undefined)[] {
    const parsed = ANSWER.safeParse(answer);
    if (!parsed.success || parsed.data.data.length !== count) throw embeddingFailed('The embedding server did not return one vector per text.', true);
    const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
    for (const { index, embedding } of parsed.data.data) {
      const { dimensions } = this.options;
      if (embedding.length !== dimensions) throw embeddingFailed(`The embedding server’s vectors have ${embedding.length} dimensions; SEARCH_DIMENSIONS is ${dimensions}.`, false);
      vectors[index] = normalized(embedding);
    }
    return vectors;
  }
}

function normalized(embedding: readonly number[]): Float32Array | undefined {
  const norm = Math.hypot(...embedding);
  return norm > 0 ? Float32Array.from(embedding, (value) => value / norm) : undefined;
}

const WORDS: ServerWords = {
  server: 'The embedding server',
  reasons: { 413: 'The embedding server refused the texts as too large.' },
  tookTooLong: embeddingTimeout,
  busy: embeddingRateLimited,
  failed: (message, { retryable, cause }) => embeddingFailed(message, retryable, cause),
};
