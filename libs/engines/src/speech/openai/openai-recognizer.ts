import type { AppError } from '@parlance/platform';
import type * as OpenAiSdk from 'openai';
import { abortError, engineFailed, engineTimeout, requireLanguage } from '../engine-errors.js';
import { pcmSeconds } from '../pcm-format.js';
import type { Recognition, RecognitionRequest, RecognitionWarning, SpeechEngineInfo, SpeechRecognizer } from '../speech-recognizer.js';
import { wavFile } from '../wav-file.js';
import { readWords, verboseTranscription } from './verbose-transcription.js';
import { vocabularyPrompt } from './vocabulary-prompt.js';
import { languageTag, whisperCode, WHISPER_LANGUAGES } from './whisper-languages.js';

export interface OpenAiRecognizerOptions {
  /** Up to and with `/v1`. */
  baseUrl: string;
  /** Servers of one's own often want none. */
  apiKey?: string;
  model: string;
  /** Chunks at once; default 4. */
  parallelism?: number;
  /** Of one try; default 300. */
  timeoutSeconds?: number;
  /** Further tries of the SDK on 408, 409, 429, 5xx and lost connections, after Retry-After or 0.5–8 s; default 3. */
  maxRetries?: number;
  fetch?: typeof globalThis.fetch;
}

/** Any server with OpenAI's `POST /audio/transcriptions` and its `verbose_json` answer: OpenAI, vLLM, speaches, whisper.cpp. */
export class OpenAiRecognizer implements SpeechRecognizer {
  readonly info: SpeechEngineInfo;
  #client: Promise<Client> | undefined;

  constructor(private readonly options: OpenAiRecognizerOptions) {
    this.info = {
      name: `openai:${options.model}`,
      languages: WHISPER_LANGUAGES,
      wordTimes: true,
      vocabulary: true,
      maxChunkSeconds: 600, // 19 MB as WAV; the API takes 25 MB
      idealChunkSeconds: 120,
      detectsLanguage: true,
      parallelism: options.parallelism ?? 4,
    };
  }

  async recognize(request: RecognitionRequest): Promise<Recognition> {
    requireLanguage(request.language, this.info.languages);
    if (request.signal.aborted) throw abortError(request.signal);
    const vocabulary = vocabularyPrompt(request.vocabulary ?? []);
    const parsed = verboseTranscription.safeParse(await this.#ask(request, vocabulary.prompt));
    if (!parsed.success) throw engineFailed('The speech server answered in a form that is not verbose_json.');
    const { words, estimated } = readWords(parsed.data, pcmSeconds(request.pcm));
    const language = languageTag(parsed.data.language ?? undefined) ?? request.language;
    const warnings = [...(estimated ? [TIMES_ESTIMATED] : []), ...(vocabulary.leftOut > 0 ? [truncated(vocabulary.leftOut)] : [])];
    return { words, ...(language && { language }), ...(warnings.length > 0 && { warnings }) };
  }

  async close(): Promise<void> {}

  async #ask({ pcm, language, signal }: RecognitionRequest, prompt: string): Promise<unknown> {
    const { sdk, client } = await (this.#client ??= connect(this.options));
    try {
      return await client.audio.transcriptions.create(
        {
          file: new File([wavFile(pcm)], 'chunk.wav', { type: 'audio/wav' }),
          model: this.options.model,
          response_format: 'verbose_json',
          timestamp_granularities: ['word', 'segment'],
          ...(language && { language: whisperCode(language) }),
          ...(prompt && { prompt }),
        },
        { signal },
      );
    } catch (error) {
      if (signal.aborted) throw abortError(signal);
      throw translated(error, sdk);
    }
  }
}

type Sdk = typeof OpenAiSdk;
interface Client {
  sdk: Sdk;
  client: InstanceType<Sdk['OpenAI']>;
}

/** The SDK takes 34 MB, so that it is loaded by the first chunk and not by every process that could use it. */
async function connect({ baseUrl, apiKey, timeoutSeconds = 300, maxRetries = 3, fetch }: OpenAiRecognizerOptions): Promise<Client> {
  const sdk = await import('openai');
  const client = new sdk.OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey || 'none',
    timeout: timeoutSeconds * 1000,
    maxRetries,
    logLevel: 'off', // it would write URLs and bodies past our logger
    ...(fetch && { fetch }),
  });
  return { sdk, client };
}

const TIMES_ESTIMATED: RecognitionWarning = {
  code: 'word_times_estimated',
  message: 'The speech engine gave no word times; they are estimated from longer stretches.',
};
const truncated = (terms: number): RecognitionWarning => ({
  code: 'vocabulary_truncated',
  message: `The last ${terms} vocabulary terms did not fit what the speech engine takes.`,
});

/** Names neither the server nor what it said, which may hold an internal address or the words. */
function translated(error: unknown, { APIConnectionError, APIConnectionTimeoutError, APIError }: Sdk): AppError {
  if (error instanceof APIConnectionTimeoutError) return engineTimeout(error);
  if (error instanceof APIConnectionError) return engineFailed('The speech server cannot be reached.', { cause: error });
  if (error instanceof APIError && error.status !== undefined) {
    const { status, headers } = error;
    const passing = status === 408 || status === 409 || status === 429 || status >= 500;
    const after = Number(headers?.get('retry-after') ?? NaN);
    return engineFailed(REASONS[status] ?? `The speech server answered with status ${status}.`, {
      retryable: passing,
      ...(passing && after >= 0 && { retryAfter: after }),
      cause: error,
    });
  }
  return engineFailed('The speech server’s answer could not be read.', { cause: error });
}

const REASONS: Readonly<Record<number, string>> = {
  401: 'The speech server refused the key.',
  403: 'The speech server refused the key.',
  404: 'The speech server has no such model or path.',
  413: 'The speech server refused the chunk as too large.',
  429: 'The speech server limits the rate of requests.',
};
