import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { JobStore } from '../state/job-store.js';
import { ErasureUpkeep } from './erasure-upkeep.js';
import { MediaKeyUpkeep } from './media-key-upkeep.js';
import { ReportUpkeep } from './report-upkeep.js';
import { RetentionUpkeep } from './retention-upkeep.js';
import { ScheduleUpkeep } from './schedule-upkeep.js';
import { attempt, type UpkeepStep } from './upkeep-step.js';

const INTERVAL_MS = 60_000;

/** Repairs and ends jobs that receive no reports any more. Every process may run it: each step may be repeated. */
@Injectable()
export class Upkeep {
  private readonly steps: readonly UpkeepStep[];
  private readonly running = new Map<UpkeepStep, Promise<void>>();
  private readonly stop = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(ScheduleUpkeep) private readonly schedules: UpkeepStep & Pick<ScheduleUpkeep, 'runWhole'>,
    @Inject(RetentionUpkeep) retention: UpkeepStep,
    @Inject(ReportUpkeep) reports: UpkeepStep,
    @Inject(ErasureUpkeep) erasures: UpkeepStep,
    @Inject(MediaKeyUpkeep) mediaKeys: UpkeepStep,
    @Inject(JobStore) private readonly jobs: Pick<JobStore, 'all' | 'apply'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.steps = [schedules, retention, reports, erasures, mediaKeys];
  }

  /** @param afterUncleanStop whether events may be lost that jobs wait for */
  start({ afterUncleanStop }: { afterUncleanStop: boolean }): void {
    if (afterUncleanStop) this.begin({ run: (signal) => this.resume(signal) });
    this.timer = setInterval(() => this.steps.forEach((step) => this.begin(step)), INTERVAL_MS);
    this.timer.unref();
  }

  /** Stops the rounds. An operation that waits for a server in an outage is left: its step ends when it does. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.stop.abort(new AppError({ kind: 'canceled', code: 'canceled', message: 'The service stops.' }));
    await Promise.all(this.running.values());
  }

  /** Requests again, at once, everything that the open jobs wait for. A request that was not lost is answered twice, which changes nothing. */
  async resume(signal = this.stop.signal): Promise<void> {
    const parts = { log: this.log, signal };
    let open = 0;
    for await (const { id: jobId, run } of this.jobs.all({ where: { open: true }, direction: 'ascending' })) {
      open += 1;
      await attempt(parts, { job_id: jobId }, () => this.jobs.apply(jobId, { type: 'resumed', run }));
    }
    await attempt(parts, {}, () => this.schedules.runWhole(signal));
    if (open > 0) this.log.warn({ jobs: open }, 'unclean stop: all work that open jobs wait for was requested again');
  }

  /** One round of every step, one after another. */
  async runOnce(): Promise<void> {
    const { signal } = this.stop;
    for (const step of this.steps) await attempt({ log: this.log, signal }, {}, () => step.run(signal));
  }

  /** Begins a round of the step unless one of it runs: rounds do not pile up in an outage. */
  private begin(step: UpkeepStep): void {
    if (this.running.has(step)) return;
    const round = this.round(step).finally(() => this.running.delete(step));
    this.running.set(step, round);
  }

  private async round(step: UpkeepStep): Promise<void> {
    const { signal } = this.stop;
    const aborted = Promise.withResolvers<void>();
    const onAbort = () => aborted.resolve();
    signal.addEventListener('abort', onAbort);
    try {
      await Promise.race([step.run(signal), aborted.promise]);
    } catch (error) {
      if (!signal.aborted) this.log.error({ err: error }, 'upkeep failed');
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}
