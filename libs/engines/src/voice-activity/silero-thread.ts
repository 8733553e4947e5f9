import { Worker } from 'node:worker_threads';
import { threadMemory } from '@parlance/platform';
import type { SharedSamples } from './whole-samples.js';

const PROGRAM = new URL('./silero-worker.mjs', import.meta.url);

/** From the first sample to the one after the last. */
export type SampleRange = [from: number, to: number];

type Question = { samples: SharedSamples } | { end: true };

/** The thread that runs the model: one question at a time. */
export class SileroThread {
  private readonly worker: Worker;
  private readonly ended: Promise<void>;
  private asked: PromiseWithResolvers<SampleRange[]> | undefined;
  /** Why the thread ended by itself, which may be before anything is asked. */
  private failure: { error: unknown } | undefined;

  /** @param config sherpa-onnx's own. */
  constructor(config: object) {
    this.worker = new Worker(PROGRAM, { workerData: config, resourceLimits: threadMemory() });
    this.worker.on('message', (ranges: SampleRange[]) => this.asked?.resolve(ranges));
    this.worker.once('error', (error) => this.fail(error));
    this.ended = new Promise((resolve) => {
      this.worker.once('exit', (code) => {
        this.fail(new Error(`the thread ended with status ${code}`));
        resolve();
      });
    });
  }

  /** @returns the regions that have ended. @throws the signal's reason; why the thread ended. */
  async ask(question: Question, signal: AbortSignal): Promise<SampleRange[]> {
    signal.throwIfAborted();
    if (this.failure) throw this.failure.error;
    const asked = (this.asked = Promise.withResolvers<SampleRange[]>());
    const stop = () => asked.reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.worker.postMessage(question);
      return await asked.promise;
    } finally {
      this.asked = undefined;
      signal.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    // Never terminate(): a native call that finds its environment gone throws through C++ and aborts the whole process.
    this.worker.postMessage({ close: true });
    await this.ended;
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.asked?.reject(error);
  }
}
