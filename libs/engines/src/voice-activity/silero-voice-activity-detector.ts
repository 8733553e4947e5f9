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
  /** Keeps one process for so long after a recording, for the next one; default 0: a process ends with its recording. */
  idleMs?: number;
}

/**
 * Silero VAD v6 on ONNX Runtime. A process judges one recording at a time, and an abort kills it at once. After the recording it
 * ends, or waits `idleMs` for the next one: its start takes several times the work of a short recording.
 */
export class SileroVoiceActivityDetector implements VoiceActivityDetector {
  private idle: SileroProcess | undefined;
  private retirement: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: SileroOptions = {}) {}

  async *detect(pcm: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<SpeechRegion> {
    if (signal.aborted) throw abortError(signal);
    const process = (await this.takeIdle(signal)) ?? (await this.start());
    let ended = false;
    try {
      for await (const samples of wholeSamples(pcm)) yield* regionsOf(await process.hearSamples(samples, signal));
      const last = await process.hearEnd(signal);
      ended = true;
      yield* regionsOf(last);
    } finally {
      if (ended) await this.keep(process);
      else await process.close();
    }
  }

  /** Ends the idle process. Detections at work are left to their signals. */
  async close(): Promise<void> {
    this.closed = true;
    await this.retire();
  }

  private async start(): Promise<SileroProcess> {
    return new SileroProcess(workerSettings(await checkedModel(this.options.model), this.options), this.options);
  }

  private async takeIdle(signal: AbortSignal): Promise<SileroProcess | undefined> {
    clearTimeout(this.retirement);
    const process = this.idle;
    this.idle = undefined;
    if (!process) return undefined;
    process.setIdle(false);
    try {
      // It may have been killed while nothing waited for it. The answer to an empty recording shows that it was not.
      await process.hearEnd(signal);
      return process;
    } catch (error) {
      if (signal.aborted) throw error;
      return undefined;
    }
  }

  private async keep(process: SileroProcess): Promise<void> {
    const { idleMs = 0 } = this.options;
    if (idleMs === 0 || this.closed || this.idle?.alive || !process.alive) return process.close();
    process.setIdle(true);
    this.idle = process;
    this.retirement = setTimeout(() => void this.retire(), idleMs).unref();
  }

  private async retire(): Promise<void> {
    const process = this.idle;
    this.idle = undefined;
    clearTimeout(this.retirement);
    await process?.close();
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
