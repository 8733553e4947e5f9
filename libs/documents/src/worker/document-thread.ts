import { Worker } from 'node:worker_threads';
import { threadMemory } from '@parlance/platform';
import type { DocumentAnswer, DocumentOrder, DocumentRequest } from './document-messages.js';

/** Jest runs the sources, for which a thread has no loader: it takes what was built. */
const PROGRAM = new URL(import.meta.url.endsWith('.ts') ? '../../dist/worker/document-worker.js' : './document-worker.js', import.meta.url);

/** Thirty megabytes are used for three alphabets, sixty for 3,500 different Han characters. */
const MEMORY = threadMemory(80);

/** The thread that writes one document: one request, one answer. */
export class DocumentThread {
  private readonly worker: Worker;
  private asked: PromiseWithResolvers<DocumentAnswer> | undefined;
  /** Why it ended, which may be while nothing is asked. */
  private failure: { error: unknown } | undefined;
  private readonly stop = () => this.fail(this.signal.reason);

  /** @param signal aborted when the document is not wanted any more, with what a question then fails with. */
  constructor(
    order: DocumentOrder,
    private readonly signal: AbortSignal,
  ) {
    this.worker = new Worker(PROGRAM, { workerData: order, resourceLimits: MEMORY });
    this.worker.on('message', (answer: DocumentAnswer) => this.asked?.resolve(answer));
    this.worker.once('error', (error) => this.fail(error));
    this.worker.once('exit', (status) => this.fail(new Error(`The document thread ended with status ${status}.`)));
    signal.addEventListener('abort', this.stop);
    if (signal.aborted) this.stop();
  }

  /** @throws what the thread threw; the reason of the signal */
  async ask(request: DocumentRequest): Promise<DocumentAnswer> {
    if (this.failure) throw this.failure.error;
    this.asked = Promise.withResolvers();
    this.worker.postMessage(request);
    return this.asked.promise;
  }

  async close(): Promise<void> {
    this.signal.removeEventListener('abort', this.stop);
    await this.worker.terminate();
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.asked?.reject(this.failure.error);
  }
}
