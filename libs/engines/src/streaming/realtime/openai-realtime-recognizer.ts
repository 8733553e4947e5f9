import { WHISPER_LANGUAGES, whisperCode } from '@parlance/languages';
import { requireLanguage } from '../../speech/engine-errors.js';
import { vocabularyPrompt, vocabularyTruncated } from '../../speech/openai/vocabulary-prompt.js';
import type { SpeechProbabilities } from '../../voice-activity/speech-probabilities.js';
import { eventsWritten } from '../event-stream.js';
import type { StreamingEngine } from '../streaming-engine.js';
import type { StreamingEvent, StreamingInput, StreamingMode, StreamingRecognizer, StreamingRequest } from '../streaming-recognizer.js';
import { RealtimeSession } from './realtime-session.js';

interface OpenAiRealtimeOptions {
  /** Up to and with `/v1`, as `https:` or `http:`. */
  baseUrl: string;
  /** Servers of one's own often want none. */
  apiKey?: string;
  model: string;
  /** True where the server takes the model of a transcription session from the URL (Speaches); OpenAI refuses it there. */
  modelInUrl?: boolean;
  /** The sample rate that the server takes; default 24000, the only one of OpenAI. */
  rate?: 16_000 | 24_000;
  /** Between the end of an utterance and its transcript; default 60. */
  timeoutSeconds?: number;
  /** A session of this age is replaced in the next pause; default 50, as OpenAI ends them after 60. */
  maxSessionMinutes?: number;
}

/**
 * Any server of OpenAI's realtime transcription protocol. Utterances end by our own voice activity detection, and each is committed: so
 * their audio does not depend on the server, and they have times.
 */
export class OpenAiRealtimeRecognizer implements StreamingRecognizer {
  readonly mode: StreamingMode = 'native';

  constructor(
    private readonly options: OpenAiRealtimeOptions,
    private readonly speech: SpeechProbabilities,
  ) {}

  async *recognize(input: AsyncIterable<StreamingInput>, request: StreamingRequest): AsyncGenerator<StreamingEvent> {
    requireLanguage(request.language, WHISPER_LANGUAGES);
    const { prompt, leftOut } = vocabularyPrompt(request.vocabulary ?? []);
    if (leftOut > 0) yield { type: 'warning', ...vocabularyTruncated(leftOut) };
    yield* eventsWritten(request.signal, (events, signal) =>
      new RealtimeSession(this.speech, this.link(request, prompt, signal), { ...request, signal }, events).follow(input),
    );
  }

  private link({ language }: StreamingRequest, prompt: string, signal: AbortSignal) {
    const { model, rate = 24_000, apiKey, timeoutSeconds = 60, maxSessionMinutes = 50 } = this.options;
    const transcription = { model, ...(language !== undefined && { language: whisperCode(language) }), ...(prompt && { prompt }) };
    return {
      server: { url: this.url(), ...(apiKey !== undefined && { apiKey }) },
      session: { audio: { input: { format: { type: 'audio/pcm', rate }, transcription, turn_detection: null } } },
      rate,
      answerMs: timeoutSeconds * 1000,
      renewMs: maxSessionMinutes * 60_000,
      signal,
    };
  }

  private url(): string {
    const url = new URL(`${this.options.baseUrl.replace(/^http/, 'ws')}/realtime`);
    url.searchParams.set('intent', 'transcription');
    if (this.options.modelInUrl) url.searchParams.set('model', this.options.model);
    return url.href;
  }
}

/** Nothing is started or loaded here. */
export function openAiRealtimeEngine(options: OpenAiRealtimeOptions, speech: SpeechProbabilities): StreamingEngine {
  return {
    name: `openai-realtime:${options.model}`,
    languages: WHISPER_LANGUAGES,
    formatsText: true,
    recognizer: new OpenAiRealtimeRecognizer(options, speech),
    check: async () => {},
    close: async () => {},
  };
}
