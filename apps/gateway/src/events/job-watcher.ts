import type { EventType } from '@parlance/contracts';
import type { Follower } from '@parlance/event-bus';
import type { Metrics } from '@parlance/platform';
import { Gauge } from 'prom-client';

/** Wakes whoever waits for news of a job, in this process. News says only that something may have changed: read then. */
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

  /** How many wait. */
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

const JOB_EVENTS = [
  'job.started',
  'job.progressed',
  'job.transcript_ready',
  'job.stage_failed',
  'job.completed',
  'job.failed',
  'job.canceled',
  'job.deleted',
] as const satisfies readonly EventType[];

/** What the watcher hears from the bus. */
export function watcherFollowers(watcher: JobWatcher): Follower[] {
  const hear = (event: { data: { jobId: string } }) => watcher.news(event.data.jobId);
  return [
    { topic: 'parlance.jobs.v1', handlers: Object.fromEntries(JOB_EVENTS.map((type) => [type, hear])) },
    { topic: 'parlance.chunk-results.v1', handlers: { 'chunk.transcribed': hear } },
  ];
}

export function measureWatches(watcher: JobWatcher, metrics: Metrics): void {
  const gauge: Gauge = new Gauge({
    name: 'parlance_job_watches',
    help: 'Event streams and held answers that wait for news of a job',
    registers: [],
    collect: (): void => gauge.set(watcher.size),
  });
  metrics.registerMetric(gauge);
}
