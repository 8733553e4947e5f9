import { Worker } from 'node:worker_threads';
import { threadMemory } from '@parlance/platform/threads';
import type { RedactedPlace } from './policy.js';

const PROGRAM = new URL('./names-worker.mjs', import.meta.url);

interface Waiting {
  resolve: (found: RedactedPlace[]) => void;
  reject: (error: Error) => void;
}

/** After this time without a text the thread ends: its lists hold some 40 MB. */
const IDLE_MS = 30_000;

/** Finds names in English texts by the lists and rules of `compromise`, in a thread that runs while there are texts. */
export class NamesThread {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;
  private idle: NodeJS.Timeout | undefined;

  /** @throws Error when the thread ended without an answer */
  find(text: string): Promise<RedactedPlace[]> {
    clearTimeout(this.idle);
    const worker = (this.worker ??= this.start());
    worker.ref();
    const id = (this.asked += 1);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, text });
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.idle);
    const { worker } = this;
    this.end(worker, new Error('The thread that finds names was closed.'));
    await worker?.terminate();
  }

  private rest(): void {
    if (this.waiting.size > 0) return;
    this.worker?.unref();
    this.idle = setTimeout(() => void this.close(), IDLE_MS).unref();
  }

  private start(): Worker {
    const worker = new Worker(PROGRAM, { resourceLimits: threadMemory() });
    worker.on('message', ({ id, found }: { id: number; found: RedactedPlace[] }) => {
      this.waiting.get(id)?.resolve(found);
      this.waiting.delete(id);
      this.rest();
    });
    worker.on('error', (error) => this.end(worker, error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => this.end(worker, new Error('The thread that finds names ended without an answer.')));
    return worker;
  }

  /** A thread that ends later than the next one starts has no texts any more. */
  private end(worker: Worker | undefined, error: Error): void {
    if (worker !== this.worker) return;
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}
