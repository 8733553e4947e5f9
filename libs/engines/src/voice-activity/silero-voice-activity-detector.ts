import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { abortError, engineFailed } from '../speech/engine-errors.js';
import { SAMPLE_RATE, toMilliseconds } from '../speech/pcm-format.js';
import { wholeSamples } from './whole-samples.js';
import type { SpeechRegion, VoiceActivityDetector } from './voice-activity-detector.js';

const MODEL = fileURLToPath(new URL('../../models/silero_vad_v6.onnx', import.meta.url));
const WORKER = new URL('./silero-worker.mjs', import.meta.url);

export interface SileroOptions {
  /** Probability of speech from which a 32 ms window counts; default 0.5. */
  threshold?: number;
  /** A shorter pause does not end a region; default 0.25. */
  minSilenceSeconds?: number;
  /** A shorter sound is no region; default 0.1. */
  minSpeechSeconds?: number;
}

/**
 * Silero VAD v6 by sherpa-onnx. Each `detect` has a thread of its own that ends with it: nothing is loaded while nothing
 * is detected, and an abort stops it at once.
 */
export class SileroVoiceActivityDetector implements VoiceActivityDetector {
  constructor(private readonly options: SileroOptions = {}) {}

  async *detect(pcm: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<SpeechRegion> {
    if (signal.aborted) throw abortError(signal);
    const worker = new Worker(WORKER, { workerData: sherpaConfig(this.options) });
    try {
      for await (const samples of wholeSamples(pcm)) yield* await ask(worker, { samples }, signal);
      yield* await ask(worker, { end: true }, signal);
    } finally {
      await worker.terminate();
    }
  }
}

const sherpaConfig = ({ threshold = 0.5, minSilenceSeconds = 0.25, minSpeechSeconds = 0.1 }: SileroOptions) => ({
  sileroVad: {
    model: MODEL,
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

async function ask(worker: Worker, message: Message, signal: AbortSignal): Promise<SpeechRegion[]> {
  if (signal.aborted) throw abortError(signal);
  worker.postMessage(message, 'samples' in message ? [message.samples.buffer] : []);
  const [regions] = (await answer(worker, signal)) as [[number, number][]];
  return regions.map(([from, to]) => ({ start: toMilliseconds(from / SAMPLE_RATE), end: toMilliseconds(to / SAMPLE_RATE) }));
}

/** The worker's next message; `once` rejects on its 'error'. A worker that ends instead never answers. */
async function answer(worker: Worker, signal: AbortSignal): Promise<unknown[]> {
  const settled = new AbortController();
  const ended = once(worker, 'exit', { signal: settled.signal }).then(([code]) => {
    throw new Error(`the thread ended with status ${String(code)}`);
  });
  try {
    return await Promise.race([once(worker, 'message', { signal }), ended]);
  } catch (error) {
    if (signal.aborted) throw abortError(signal);
    throw engineFailed('The voice activity detector failed.', { cause: error });
  } finally {
    ended.catch(() => {});
    settled.abort();
  }
}
