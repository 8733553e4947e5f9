import { abortError } from '../speech/engine-errors.js';
import type { SherpaProcess } from './sherpa-process.js';

interface SherpaProcessesOptions {
  /** Processes at once; each holds the model in memory of its own. */
  limit: number;
  /** After so long without work a process is ended and its memory is free. */
  idleMs: number;
  start: () => SherpaProcess;
}

/** The processes of one model: started when there is work, kept while there is more, replaced when they end. */
export class SherpaProcesses {
  private readonly idle: SherpaProcess[] = [];
  private readonly all = new Set<SherpaProcess>();
  private readonly queue: (() => void)[] = [];
  private running = 0;
  private closed = false;
  private retirement: NodeJS.Timeout | undefined;

  constructor(private readonly options: SherpaProcessesOptions) {}

  /** Runs the work with a process of its own, when one is free. @throws what the work throws; what an abort means. */
  async use<T>(signal: AbortSignal, work: (process: SherpaProcess) => Promise<T>): Promise<T> {
    await this.turn(signal);
    let process: SherpaProcess | undefined;
    try {
      process = this.take();
      return await work(process);
    } finally {
      await this.giveBack(process);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retirement);
    await Promise.all([...this.all].map((process) => this.end(process)));
  }

  private async turn(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw abortError(signal);
    if (this.running >= this.options.limit) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const stop = () => {
        this.queue.splice(this.queue.indexOf(resolve), 1);
        reject(abortError(signal));
      };
      this.queue.push(resolve);
      signal.addEventListener('abort', stop, { once: true });
      // The turn is handed over with its place among the running.
      await promise.finally(() => signal.removeEventListener('abort', stop));
      return;
    }
    this.running += 1;
  }

  private take(): SherpaProcess {
    clearTimeout(this.retirement);
    for (let process = this.idle.pop(); process; process = this.idle.pop()) {
      if (process.alive) return process;
      this.all.delete(process);
    }
    const process = this.options.start();
    this.all.add(process);
    return process;
  }

  /** @param process undefined: the machine would not start one, but the turn was taken */
  private async giveBack(process: SherpaProcess | undefined): Promise<void> {
    if (process?.alive && !this.closed) this.idle.push(process);
    else if (process) await this.end(process);
    const next = this.queue.shift();
    if (next) {
      next();
      return;
    }
    this.running -= 1;
    clearTimeout(this.retirement);
    this.retirement = setTimeout(() => void this.retire(), this.options.idleMs).unref();
  }

  /** Ends what is idle. */
  private async retire(): Promise<void> {
    await Promise.all(this.idle.splice(0).map((process) => this.end(process)));
  }

  private async end(process: SherpaProcess): Promise<void> {
    this.all.delete(process);
    await process.close();
  }
}
