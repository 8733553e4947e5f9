import { once } from 'node:events';

interface Held {
  released: Promise<void>;
  ignoresAbort: boolean;
}

/** Stands where a stage calls its engine: counts the calls, holds them, and fails them on demand. */
export class EngineGate {
  private readonly calls: { jobId: string; signal: AbortSignal }[] = [];
  private readonly failures: unknown[] = [];
  private readonly held = new Map<string, Held>();
  private readonly releases: (() => void)[] = [];

  /** For the engine of the stage: to be called with each piece of work, before its result. */
  async pass(jobId: string, signal: AbortSignal): Promise<void> {
    this.calls.push({ jobId, signal });
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    const held = this.held.get(jobId);
    this.held.delete(jobId);
    if (!held) return;
    await (held.ignoresAbort ? held.released : Promise.race([held.released, aborted(signal)]));
    if (!held.ignoresAbort) signal.throwIfAborted();
  }

  callsOf(jobId: string): { signal: AbortSignal }[] {
    return this.calls.filter((call) => call.jobId === jobId);
  }

  failNext(error: unknown, times = 1): void {
    for (let time = 0; time < times; time++) this.failures.push(error);
  }

  /** Holds the next call of the job. @param ignoringAbort as an engine does that notices an abort too late @returns releases it */
  holdNext(jobId: string, { ignoringAbort = false } = {}): () => void {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    this.held.set(jobId, { released, ignoresAbort: ignoringAbort });
    this.releases.push(release);
    return release;
  }

  releaseAll(): void {
    for (const release of this.releases) release();
  }
}

const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};
