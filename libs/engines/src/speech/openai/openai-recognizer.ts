import { WHISPER_LANGUAGES, whisperCode } from '@parlance/languages';
import { keepSuccess } from '@parlance/platform';
import { connectOpenAi } from '../../openai/openai-client.js';
import { openAiFailure, type ServerWords } from '../../openai/openai-failure.js';
import { abortError, engineFailed, engineTimeout, requireLanguage } from '../engine-errors.js';
import { pcmSeconds } from '../pcm-format.js';
import type { Recognition, RecognitionRequest, RecognitionWarning, SpeechEngineInfo, SpeechRecognizer } from '../speech-recognizer.js';
import { wavFile } from '../wav-file.js';
import { detectedLanguage } from './detected-language.js';
import { readWords, verboseTranscription } from './verbose-transcription.js';
import { vocabularyPrompt, vocabularyTruncated } from './vocabulary-prompt.js';

export interface OpenAiRecognizerOptions {
  /** Up to and with `/v1`. */
  baseUrl: string;
  /** Servers of one's own often want none. */
  apiKey?: string;
  model: string;
  /** Chunks at once; default 4. */
  parallelism?: number;
  /** The time limit of one attempt; default 300. */
  timeoutSeconds?: number;
  /** Further tries of the SDK on 408, 409, 429, 5xx and lost connections, after Retry-After or 0.5–8 s; default 3. */
  maxRetries?: number;
  fetch?: typeof globalThis.fetch;
}

/** Any server with OpenAI's `POST /audio/transcriptions` and its `verbose_json` answer: OpenAI, vLLM, speaches, whisper.cpp. */
export class OpenAiRecognizer implements SpeechRecognizer {
  readonly info: SpeechEngineInfo;
  readonly #connect = keepSuccess(() => connectOpenAi({ timeoutSeconds: 300, ...this.options }));

  constructor(private readonly options: OpenAiRecognizerOptions) {
    this.info = {
      name: `openai:${options.model}`,
      isLocal: false,
      languages: WHISPER_LANGUAGES,
      wordTimes: true,
      vocabulary: true,
      formatsText: true,
      maxChunkSeconds: 600, // 19 MB as WAV; the API takes 25 MB
      idealChunkSeconds: 120,
      detectsLanguage: true,
      reportsLanguage: true,
      wordConfidence: 'sometimes',
      languageConfidence: 'sometimes',
      parallelism: options.parallelism ?? 4,
    };
  }

  async recognize(request: RecognitionRequest): Promise<Recognition> {
    requireLanguage(request.language, this.info.languages);
    if (request.signal.aborted) throw abortError(request.signal);
    const vocabulary = vocabularyPrompt(request.vocabulary ?? []);
    const parsed = verboseTranscription.safeParse(await this.#ask(request, vocabulary.prompt));
    if (!parsed.success) throw engineFailed('The speech server answered in a format that is not verbose_json.');
    const { words, estimated } = readWords(parsed.data, pcmSeconds(request.pcm));
    // A server repeats the language of the request, which is no detection.
    const detected = request.language === undefined ? detectedLanguage(parsed.data) : {};
    const warnings = [...(estimated ? [TIMES_ESTIMATED] : []), ...(vocabulary.leftOut > 0 ? [vocabularyTruncated(vocabulary.leftOut)] : [])];
    return { words, ...detected, ...(warnings.length > 0 && { warnings }) };
  }

  /** There is nothing to be installed. */
  async check(): Promise<void> {}

  async close(): Promise<void> {}

  async #ask({ pcm, language, signal }: RecognitionRequest, prompt: string): Promise<unknown> {
    const { sdk, client } = await this.#connect();
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
      throw openAiFailure(error, sdk, WORDS);
    }
  }
}

const TIMES_ESTIMATED: RecognitionWarning = {
  code: 'word_times_estimated',
  message: 'The speech engine returned no word times; they are estimated from longer segments.',
};
const WORDS: ServerWords = {
  server: 'The speech server',
  reasons: { 413: 'The speech server refused the chunk as too large.' },
  tookTooLong: engineTimeout,
  busy: (retryAfter, cause) => engineFailed('The speech server limits the rate of requests.', { cause, ...(retryAfter !== undefined && { retryAfter }) }),
  failed: engineFailed,
};
