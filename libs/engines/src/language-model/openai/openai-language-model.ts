import { keepSuccess } from '@parlance/platform';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { connectOpenAi, type OpenAiClient } from '../../openai/openai-client.js';
import { openAiFailure, type ServerWords } from '../../openai/openai-failure.js';
import { canceledGeneration, generationFailed, generationRateLimited, generationRefused, generationTimeout } from '../language-model-errors.js';
import type { Generation, GenerationEvent, GenerationRequest, LanguageModel, LanguageModelInfo } from '../language-model.js';
import { chatChunk, chatCompletion, finishReasonOf, usageOf } from './chat-answer.js';
import { ServerCapabilities } from './server-capabilities.js';

/** An upper bound for the tokenizers in use: English has four characters per token, other alphabets two, Chinese often one. */
const ASCII_PER_TOKEN = 3;
const TOKENS_PER_OTHER = 1.2;

/** An upper estimate for any model, since each has a tokenizer of its own and servers do not tell which. */
export function estimateTokens(text: string): number {
  let ascii = 0;
  let others = 0;
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) < 128) ascii++;
    else others++;
  }
  return Math.ceil(ascii / ASCII_PER_TOKEN + others * TOKENS_PER_OTHER);
}

export interface OpenAiLanguageModelOptions {
  /** Up to and with `/v1`. */
  baseUrl: string;
  /** Servers of one's own often want none. */
  apiKey?: string;
  model: string;
  /** Tokens of request and answer together; default 32,000. */
  contextTokens?: number;
  /** The maximum tokens of one answer; default 4,096 or a quarter of the context, at most half of it. */
  maxOutputTokens?: number;
  /** The time limit of one call with all its attempts; default 300. */
  timeoutSeconds?: number;
  /** Further tries of the SDK on 408, 409, 429, 5xx and lost connections, after Retry-After or 0.5–8 s; default 3. */
  maxRetries?: number;
  fetch?: typeof globalThis.fetch;
}

const DEFAULT_TIMEOUT_SECONDS = 300;
/** Codes of servers (Azure's, for one) that look at what is asked before the model does. */
const REFUSALS: ReadonlySet<string> = new Set(['content_filter', 'content_policy_violation']);

/** Any server with OpenAI's `POST /chat/completions`: OpenAI, vLLM, llama.cpp, Ollama, LM Studio. */
export class OpenAiLanguageModel implements LanguageModel {
  readonly info: LanguageModelInfo;
  readonly #capabilities = new ServerCapabilities();
  readonly #connect = keepSuccess(() => connectOpenAi({ timeoutSeconds: DEFAULT_TIMEOUT_SECONDS, ...this.options }));

  constructor(private readonly options: OpenAiLanguageModelOptions) {
    const { model, contextTokens = 32_000 } = options;
    const maxOutputTokens = Math.min(options.maxOutputTokens ?? Math.min(4096, contextTokens / 4), contextTokens / 2);
    this.info = { name: `openai:${model}`, languages: [], contextTokens, maxOutputTokens: Math.floor(maxOutputTokens) };
  }

  async generate(request: GenerationRequest): Promise<Generation> {
    const answer = await this.#ask(request, (client, params, signal) => client.chat.completions.create(params, { signal }));
    const parsed = chatCompletion.safeParse(answer);
    const choice = parsed.data?.choices[0];
    if (!parsed.success || !choice) throw generationFailed('The language model’s server answered in a format that is not a chat completion.', true);
    const { content, refusal } = choice.message;
    const finishReason = refusal ? 'filtered' : finishReasonOf(choice.finish_reason);
    return { text: content ?? '', finishReason, ...usageOf(parsed.data.usage) };
  }

  async *stream(request: GenerationRequest): AsyncGenerator<GenerationEvent> {
    const signal = this.#deadline(request.signal);
    const chunks = await this.#ask({ ...request, signal }, (client, params) =>
      client.chat.completions.create({ ...params, stream: true, stream_options: { include_usage: true } }, { signal }),
    );
    let end: Extract<GenerationEvent, { type: 'end' }> | undefined;
    let isRefused = false;
    try {
      for await (const chunk of chunks) {
        const { choices = [], usage } = chatChunk.parse(chunk);
        const [choice] = choices;
        if (choice?.delta?.content) yield { type: 'delta', text: choice.delta.content };
        isRefused ||= Boolean(choice?.delta?.refusal);
        if (choice?.finish_reason) end = { type: 'end', finishReason: isRefused ? 'filtered' : finishReasonOf(choice.finish_reason) };
        if (end && usage) end = { ...end, ...usageOf(usage) };
      }
    } catch (error) {
      if (signal.aborted) throw canceledGeneration(signal);
      throw openAiFailure(error, (await this.#connect()).sdk, WORDS);
    } finally {
      chunks.controller.abort();
    }
    if (!end) throw generationFailed('The language model’s answer was interrupted.', true);
    yield end;
  }

  countTokens(text: string): number {
    return estimateTokens(text);
  }

  async close(): Promise<void> {}

  /** Asks once more, otherwise, when the server says that it does not know what it was asked with. */
  async #ask<T>(
    request: GenerationRequest,
    call: (client: OpenAiClient['client'], params: ChatCompletionCreateParamsNonStreaming, signal: AbortSignal) => PromiseLike<T>,
  ): Promise<T> {
    const signal = this.#deadline(request.signal);
    if (signal.aborted) throw canceledGeneration(signal);
    const { sdk, client } = await this.#connect();
    for (;;) {
      const params = this.#capabilities.params(request, this.options.model, this.info.maxOutputTokens);
      try {
        return await call(client, params, signal);
      } catch (error) {
        if (signal.aborted) throw canceledGeneration(signal);
        if (error instanceof sdk.APIError && REFUSALS.has(error.code ?? '')) throw generationRefused();
        if (!(error instanceof sdk.APIError && this.#capabilities.learnFrom(error, params))) throw openAiFailure(error, sdk, WORDS);
      }
    }
  }

  #deadline(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, AbortSignal.timeout((this.options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000)]);
  }
}

const WORDS: ServerWords = {
  server: 'The language model’s server',
  reasons: {
    400: 'The language model’s server refused the request; it may be longer than the model’s context (contextTokens).',
    413: 'The language model’s server refused the request as too large.',
  },
  tookTooLong: generationTimeout,
  busy: generationRateLimited,
  failed: (message, { retryable, cause }) => generationFailed(message, retryable, cause),
};
