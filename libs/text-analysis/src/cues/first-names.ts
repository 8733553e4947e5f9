import { Worker } from 'node:worker_threads';
import { threadMemory } from '@parlance/platform/threads';

const PROGRAM = new URL('./first-names-worker.mjs', import.meta.url);

/** More words than are asked about in years; then it begins anew. */
const REMEMBERED = 20_000;

/** First names in English, by the lexicon of `compromise`, which knows those of small letters that recognisers write. */
export class FirstNames {
  private readonly known = new Map<string, boolean>();

  /** Those of the words that are. What was not asked before is asked of a thread, which ends with the answer. @throws the signal's reason */
  async among(words: ReadonlySet<string>, signal: AbortSignal): Promise<ReadonlySet<string>> {
    signal.throwIfAborted();
    if (this.known.size > REMEMBERED) this.known.clear();
    const asked = [...words].filter((word) => !this.known.has(word));
    const names = asked.length === 0 ? new Set<string>() : new Set(await ask(asked, signal));
    for (const word of asked) this.known.set(word, names.has(word));
    return new Set([...words].filter((word) => this.known.get(word) ?? names.has(word)));
  }
}

async function ask(words: readonly string[], signal: AbortSignal): Promise<string[]> {
  const worker = new Worker(PROGRAM, { workerData: words, resourceLimits: threadMemory() });
  const stop = () => void worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(signal.aborted ? signal.reason : new Error('The thread that detects names ended without an answer.')));
    });
  } finally {
    signal.removeEventListener('abort', stop);
    void worker.terminate();
  }
}
