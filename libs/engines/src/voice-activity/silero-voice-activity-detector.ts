import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { abortError, engineFailed } from '../speech/engine-errors.js';
import { SAMPLE_RATE, toMilliseconds } from '../speech/pcm-format.js';
import { checkedModel } from './silero-model.js';
import { wholeSamples } from './whole-samples.js';
import type { SpeechRegion, VoiceActivityDetector } from './voice-activity-detector.js';

const WORKER = new URL('./silero-worker.mjs', import.meta.url);

export interface SileroOptions {
  /** Where the model lies; default: in this package. */
  model?: string;
  /** Probability of speech from which a 32 ms window counts; default 0.5. */
  threshold?: number;
  /** A shorter pause does not end a region; default 0.25. */
  minSilenceSeconds?: number;
  /** A shorter sound is no region; default 0.1. */
  minSpeechSeconds?: number;
}

/**
 * Silero VAD v6 by sherpa-onnx. Each `detect` has a thread of its own that ends with it: nothing is loaded while nothing
 * is detected, and an abort stops it after the block in hand.
 */
export class SileroVoiceActivityDetector implements VoiceActivityDetector {
  constructor(private readonly options: SileroOptions = {}) {}

  async *detect(pcm: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<SpeechRegion> {
    if (signal.aborted) throw abortError(signal);
    const model = await checkedModel(this.options.model);
    const worker = new Worker(WORKER, { workerData: sherpaConfig(model, this.options) });
    const broken = brokenWorker(worker);
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    try {
      for await (const samples of wholeSamples(pcm)) yield* await ask(worker, { samples }, signal, broken);
      yield* await ask(worker, { end: true }, signal, broken);
    } finally {
      // Never terminate(): a native call that finds its environment gone throws through C++ and aborts the whole process.
      worker.postMessage({ close: true });
      await ended;
    }
  }
}

const sherpaConfig = (model: string, { threshold = 0.5, minSilenceSeconds = 0.25, minSpeechSeconds = 0.1 }: SileroOptions) => ({
  sileroVad: {
    model,
    threshold,
    minSilenceDuration: minSilenceSeconds,
    minSpeechDuration: minSpeechSeconds,
    // After this long without a pause sherpa parts the region where the voice is least sure.
    maxSpeechDuration: 20,
    windowSize: 512,
  },
  sampleRate: SAMPLE_RATE,
  numThreads: 1,
  debug: false,
});

type Message = { samples: Int16Array<ArrayBuffer> } | { end: true };

async function ask(worker: Worker, message: Message, signal: AbortSignal, broken: Promise<never>): Promise<SpeechRegion[]> {
  if (signal.aborted) throw abortError(signal);
  worker.postMessage(message, 'samples' in message ? [message.samples.buffer] : []);
  const answered = new AbortController();
  try {
    const answer = once(worker, 'message', { signal: AbortSignal.any([signal, answered.signal]) });
    const [regions] = (await Promise.race([answer, broken])) as [[number, number][]];
    return regions.map(([from, to]) => ({ start: toMilliseconds(from / SAMPLE_RATE), end: toMilliseconds(to / SAMPLE_RATE) }));
  } catch (error) {
    if (signal.aborted) throw abortError(signal);
    throw engineFailed('The voice activity detector failed.', { cause: error });
  } finally {
    answered.abort();
  }
}

/** Rejects when the thread fails or ends by itself, which may be before anything is asked: nothing waits for it then. */
function brokenWorker(worker: Worker): Promise<never> {
  const broken = new Promise<never>((_resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the thread ended with status ${code}`)));
  });
  broken.catch(() => {});
  return broken;
}
