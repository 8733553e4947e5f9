import { keepSuccess } from '@parlance/platform';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { connectOpenAi, type OpenAiClient } from '../../openai/openai-client.js';
import { openAiFailure, type ServerWords } from '../../openai/openai-failure.js';
import { estimateTokens } from '../estimate-tokens.js';
import { canceledGeneration, generationFailed, generationRateLimited, generationRefused, generationTimeout } from '../language-model-errors.js';
import type { Generation, GenerationEvent, GenerationRequest, LanguageModel, LanguageModelInfo } from '../language-model.js';
import { chatChunk, chatCompletion, finishReasonOf, usageOf } from './chat-answer.js';
import { ServerHabits } from './server-habits.js';

export interface OpenAiLanguageModelOptions {
  /** Up to and with `/v1`. */
  baseUrl: string;
  /** Servers of one's own often want none. */
  apiKey?: string;
  model: string;
  /** Tokens of request and answer together; default 32,000. */
  contextTokens?: number;
  /** Of one answer; default 4,096 or a quarter of the context, at most half of it. */
  maxOutputTokens?: number;
  /** Of one call, all its tries together; default 300. */
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
  readonly #habits = new ServerHabits();
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
    if (!parsed.success || !choice) throw generationFailed('The language model’s server answered in a form that is no chat completion.', true);
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
    if (!end) throw generationFailed('The language model’s answer broke off.', true);
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
      const params = this.#habits.params(request, this.options.model, this.info.maxOutputTokens);
      try {
        return await call(client, params, signal);
      } catch (error) {
        if (signal.aborted) throw canceledGeneration(signal);
        if (error instanceof sdk.APIError && REFUSALS.has(error.code ?? '')) throw generationRefused();
        if (!(error instanceof sdk.APIError && this.#habits.learnFrom(error, params))) throw openAiFailure(error, sdk, WORDS);
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
