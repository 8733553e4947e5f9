import { abortError } from '../speech/engine-errors.js';
import { SAMPLE_RATE, toMilliseconds } from '../speech/pcm-format.js';
import { checkedModel } from './silero-model.js';
import { SileroProcess, type SampleRange, type SileroProcessOptions, type SileroSettings } from './silero-process.js';
import { wholeSamples } from './whole-samples.js';
import type { SpeechRegion, VoiceActivityDetector } from './voice-activity-detector.js';

interface SileroOptions extends SileroProcessOptions {
  /** The path of the model; default: in this package. */
  model?: string;
  /** Probability of speech from which a 32 ms window counts; default 0.5. */
  threshold?: number;
  /** A shorter pause does not end a region; default 0.25. */
  minSilenceSeconds?: number;
  /** A shorter sound is no region; default 0.1. */
  minSpeechSeconds?: number;
}

/**
 * Silero VAD v6 on ONNX Runtime. Each `detect` has a process of its own that ends with it: nothing is loaded while nothing
 * is detected, and an abort stops it at once.
 */
export class SileroVoiceActivityDetector implements VoiceActivityDetector {
  constructor(private readonly options: SileroOptions = {}) {}

  async *detect(pcm: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<SpeechRegion> {
    if (signal.aborted) throw abortError(signal);
    const model = await checkedModel(this.options.model);
    const process = new SileroProcess(workerSettings(model, this.options), this.options);
    try {
      for await (const samples of wholeSamples(pcm)) yield* regionsOf(await process.hearSamples(samples, signal));
      yield* regionsOf(await process.hearEnd(signal));
    } finally {
      await process.close();
    }
  }
}

/** After this long without a pause, a region ends at the next doubtful moment. */
const MAX_SPEECH_SECONDS = 20;

const workerSettings = (model: string, { threshold = 0.5, minSilenceSeconds = 0.25, minSpeechSeconds = 0.1 }: SileroOptions): SileroSettings => ({
  model,
  threshold,
  minSilence: Math.round(minSilenceSeconds * SAMPLE_RATE),
  minSpeech: Math.round(minSpeechSeconds * SAMPLE_RATE),
  maxSpeech: MAX_SPEECH_SECONDS * SAMPLE_RATE,
});

const regionsOf = (ranges: readonly SampleRange[]): SpeechRegion[] =>
  ranges.map(([from, to]) => ({ start: toMilliseconds(from / SAMPLE_RATE), end: toMilliseconds(to / SAMPLE_RATE) }));
