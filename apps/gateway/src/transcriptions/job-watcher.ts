import type { Metrics } from '@parlance/platform';
import { Gauge } from 'prom-client';

/** Wakes the waiters for changes of a job, in this process. A wake-up only means that something may have changed: read the job then. */
export class JobWatcher {
  private readonly watches = new Map<string, Set<JobWatch>>();

  /** Watch first, read then, so that nothing between the two is missed. Close it in the end. */
  watch(jobId: string): JobWatch {
    const ofJob = this.watches.get(jobId) ?? new Set();
    const watch = new JobWatch(() => {
      ofJob.delete(watch);
      if (ofJob.size === 0) this.watches.delete(jobId);
    });
    this.watches.set(jobId, ofJob.add(watch));
    return watch;
  }

  news(jobId: string): void {
    for (const watch of this.watches.get(jobId) ?? []) watch.wake();
  }

  /** The number of waiters. */
  get size(): number {
    let size = 0;
    for (const ofJob of this.watches.values()) size += ofJob.size;
    return size;
  }
}

export class JobWatch {
  private hasNews = false;
  private notify: (() => void) | undefined;

  constructor(readonly close: () => void) {}

  wake(): void {
    this.hasNews = true;
    this.notify?.();
  }

  /** Resolves at news since the last call, or after `limitMs`, or when the signal aborts. @returns whether there was news */
  async next(limitMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.hasNews && !signal.aborted) await this.sleep(limitMs, signal);
    const hadNews = this.hasNews;
    this.hasNews = false;
    return hadNews;
  }

  private sleep(limitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.notify = undefined;
        resolve();
      };
      const timer = setTimeout(done, limitMs);
      signal.addEventListener('abort', done);
      this.notify = done;
    });
  }
}

export function measureWatches(watcher: JobWatcher, metrics: Metrics): void {
  const gauge: Gauge = new Gauge({
    name: 'parlance_job_watches',
    help: 'Event streams and long polls that wait for a change of a job',
    registers: [],
    collect: (): void => gauge.set(watcher.size),
  });
  metrics.registerMetric(gauge);
}
