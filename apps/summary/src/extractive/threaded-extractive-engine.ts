import { Worker, type ResourceLimits } from 'node:worker_threads';
import { FairPlaces } from '@parlance/event-bus';
import { AppError, threadMemory } from '@parlance/platform';
import type { ChaptersResult, FoundEntities, HighlightsResult, SummaryEngine, SummaryEngineInfo, SummaryRequest, SummaryResult, TranscriptText } from '../engine/summary-engine.js';
import { EXTRACTIVE_INFO } from './extractive-info.js';
import type { ExtractiveAnswer, ExtractiveRequest, ExtractiveResult, ExtractiveWork } from './extractive-messages.js';

/** Jest runs the sources, for which a thread has no loader: it takes what was built. */
const PROGRAM = new URL(import.meta.url.endsWith('.ts') ? '../../dist/extractive/extractive-worker.js' : './extractive-worker.js', import.meta.url);

/** Memory for ten hours of talk. */
const MEMORY = threadMemory(256);

/** Milliseconds after the last work until the thread and its memory are released. */
const IDLE_MS = 10_000;

/** Runs the built-in engine in a thread that lives while there is work. */
export class ThreadedExtractiveEngine implements SummaryEngine {
  readonly info: SummaryEngineInfo = EXTRACTIVE_INFO;
  /**
   * The thread handles one transcript at a time. Several at once would take as long and add up their memory, and a transcript
   * that ends the thread would fail the attempts of other jobs as well.
   */
  private readonly lane = new FairPlaces(1);
  private thread: ExtractiveThread | undefined;
  private idle: NodeJS.Timeout | undefined;
  private closing = new AbortController();

  constructor(private readonly memory = MEMORY) {}

  summarize(transcript: TranscriptText, request: SummaryRequest, signal: AbortSignal): Promise<SummaryResult> {
    return this.ask({ summarize: { transcript, request } }, signal) as Promise<SummaryResult>;
  }

  highlight(transcript: TranscriptText, signal: AbortSignal): Promise<HighlightsResult> {
    return this.ask({ highlight: { transcript } }, signal) as Promise<HighlightsResult>;
  }

  divide(transcript: TranscriptText, signal: AbortSignal): Promise<ChaptersResult> {
    return this.ask({ divide: { transcript } }, signal) as Promise<ChaptersResult>;
  }

  findEntities(transcript: TranscriptText, signal: AbortSignal): Promise<FoundEntities> {
    return this.ask({ findEntities: { transcript } }, signal) as Promise<FoundEntities>;
  }

  /** Fails the present work. Later work starts another thread. */
  async close(): Promise<void> {
    this.closing.abort(threadEnded(undefined));
    this.closing = new AbortController();
    clearTimeout(this.idle);
    const { thread } = this;
    this.thread = undefined;
    await thread?.close();
  }

  /** The next thread may have started before the previous one ended. */
  private forget(ended: ExtractiveThread): void {
    if (this.thread === ended) this.thread = undefined;
  }

  /** A canceled call ends at once. The next one waits until the thread has stopped the canceled work. */
  private ask(work: ExtractiveWork, signal: AbortSignal): Promise<ExtractiveResult> {
    const ended = AbortSignal.any([signal, this.closing.signal]);
    return untilAborted(this.lane.run('', ended, () => this.inThread(work, ended)), ended);
  }

  private async inThread(work: ExtractiveWork, signal: AbortSignal): Promise<ExtractiveResult> {
    signal.throwIfAborted();
    clearTimeout(this.idle);
    const thread = (this.thread ??= new ExtractiveThread(this.memory, (ended) => this.forget(ended)));
    try {
      return await thread.ask(work, signal);
    } finally {
      if (this.thread === thread) this.idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }
}

class ExtractiveThread {
  private readonly worker: Worker;
  private asked: PromiseWithResolvers<ExtractiveResult> | undefined;

  constructor(resourceLimits: ResourceLimits, onEnd: (thread: ExtractiveThread) => void) {
    let cause: unknown;
    this.worker = new Worker(PROGRAM, { resourceLimits });
    this.worker.on('message', (answer: ExtractiveAnswer) => this.take(answer));
    this.worker.once('error', (error) => (cause = error));
    this.worker.once('exit', () => {
      onEnd(this);
      this.asked?.reject(threadEnded(cause));
    });
  }

  /** Resolves when the thread has answered, also after a cancellation. @throws AppError of the engine */
  async ask(work: ExtractiveWork, signal: AbortSignal): Promise<ExtractiveResult> {
    const cancel = () => this.worker.postMessage({ cancel: true } satisfies ExtractiveRequest);
    this.asked = Promise.withResolvers();
    this.worker.postMessage(work satisfies ExtractiveRequest);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await this.asked.promise;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private take(answer: ExtractiveAnswer): void {
    if ('result' in answer) this.asked?.resolve(answer.result);
    else this.asked?.reject(new AppError(answer.failure));
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const threadEnded = (cause: unknown): AppError =>
  new AppError({ kind: 'unavailable', code: 'engine_failed', message: 'The built-in summary engine ended before it had an answer.', retryable: true, cause });
