import { Worker } from 'node:worker_threads';
import { threadMemory } from '@parlance/platform';
import type { DiarizationAnswer, DiarizationMessage } from './diarization-worker.js';

/** Jest runs the sources, for which a thread has no loader: it takes what was built. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/diarization/built-in/diarization-worker.js' : './diarization-worker.js', import.meta.url);

/** It keeps a few hundred voices, so that more would be garbage. */
const MEMORY = threadMemory(128);

/** The thread that listens: one message at a time. */
export class DiarizationThread {
  private readonly worker = new Worker(WORKER, { resourceLimits: MEMORY });
  private asked: PromiseWithResolvers<DiarizationAnswer> | undefined;
  /** Why the thread ended by itself, which may be before anything is asked. */
  private failure: { error: unknown } | undefined;

  constructor() {
    this.worker.on('message', (answer: DiarizationAnswer) => this.asked?.resolve(answer));
    this.worker.once('error', (error) => this.fail(error));
    this.worker.once('exit', (code) => this.fail(new Error(`the thread ended with status ${code}`)));
  }

  /** @throws the signal's reason; why the thread ended. */
  async ask(message: DiarizationMessage, signal: AbortSignal): Promise<DiarizationAnswer> {
    signal.throwIfAborted();
    if (this.failure) throw this.failure.error;
    const asked = (this.asked = Promise.withResolvers<DiarizationAnswer>());
    const stop = () => asked.reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.worker.postMessage(message);
      return await asked.promise;
    } finally {
      this.asked = undefined;
      signal.removeEventListener('abort', stop);
    }
  }

  /** Whatever it is at: there is no native code in it that this could harm. */
  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.asked?.reject(error);
  }
}
