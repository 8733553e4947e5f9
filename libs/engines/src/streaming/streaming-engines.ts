import type { SpeechEngine, SpeechEngines } from '../speech/speech-engines.js';
import { SileroStreams } from '../voice-activity/silero-streams.js';
import type { SpeechProbabilities } from '../voice-activity/speech-probabilities.js';
import { ChunkStreamingRecognizer } from './chunk-streaming-recognizer.js';
import type { StreamingEngine } from './streaming-engine.js';
import { streamingEngineFromUrl } from './streaming-engine-from-url.js';

/** Settings as the environment has them. */
export interface StreamingEngineSettings {
  LIVE_ENGINE_URL?: string | undefined;
  LIVE_ENGINE_API_KEY?: string | undefined;
  /** Seconds that a chunk engine may take for an utterance; default 300. */
  CHUNK_TIMEOUT_SECONDS?: number | undefined;
}

interface StreamingEnginesOptions {
  /** The engine of sessions without a model; absent: the default speech engine. */
  preset?: StreamingEngine;
  speech: SpeechProbabilities;
  /** Seconds that a chunk engine may take for an utterance; default 300. */
  deadlineSeconds?: number | undefined;
}

/** The engines of live audio: that of LIVE_ENGINE_URL, and each speech engine of a deployment with the adapter for chunk engines. */
export class StreamingEngines {
  private readonly wrapped = new Map<string, StreamingEngine>();

  /** @param chunkEngines are closed by their owner */
  constructor(
    private readonly chunkEngines: SpeechEngines,
    private readonly options: StreamingEnginesOptions,
  ) {}

  /** The engine of sessions that name this model, or none; undefined for a model that is not configured. */
  find(model: string | undefined): StreamingEngine | undefined {
    if (model === undefined && this.options.preset) return this.options.preset;
    const engine = this.chunkEngines.find(model);
    return engine && this.wrap(engine);
  }

  async close(): Promise<void> {
    await this.options.preset?.close();
    await this.options.speech.close();
  }

  /** One adapter for each engine: it bounds the calls at once. */
  private wrap({ model, recognizer }: SpeechEngine): StreamingEngine {
    const known = this.wrapped.get(model);
    if (known) return known;
    const { name, languages, formatsText } = recognizer.info;
    const { speech, deadlineSeconds } = this.options;
    const streaming = new ChunkStreamingRecognizer(recognizer, speech, deadlineSeconds === undefined ? {} : { deadlineSeconds });
    const engine = { name, languages, formatsText, recognizer: streaming, check: () => recognizer.check(), close: async () => {} };
    this.wrapped.set(model, engine);
    return engine;
  }
}

/** Nothing is started or loaded here. @throws ConfigError naming what is wrong with LIVE_ENGINE_URL, which may hold a secret */
export function streamingEnginesFromSettings(settings: StreamingEngineSettings, chunkEngines: SpeechEngines, dependencies: { modelsFolder?: string } = {}): StreamingEngines {
  const speech = new SileroStreams();
  const { LIVE_ENGINE_URL: url, LIVE_ENGINE_API_KEY: apiKey, CHUNK_TIMEOUT_SECONDS: deadlineSeconds } = settings;
  if (!url) return new StreamingEngines(chunkEngines, { speech, deadlineSeconds });
  return new StreamingEngines(chunkEngines, { speech, deadlineSeconds, preset: streamingEngineFromUrl(url, { ...dependencies, speech, ...(apiKey !== undefined && { apiKey }) }) });
}
