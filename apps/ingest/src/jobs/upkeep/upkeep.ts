import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { JobStore } from '../state/job-store.js';
import { ErasureUpkeep } from './erasure-upkeep.js';
import { ReportUpkeep } from './report-upkeep.js';
import { RetentionUpkeep } from './retention-upkeep.js';
import { ScheduleUpkeep } from './schedule-upkeep.js';
import { attempt, type UpkeepStep } from './upkeep-step.js';

const INTERVAL_MS = 60_000;

/** Repairs and ends jobs that receive no reports any more. Every process may run it: each step may be repeated. */
@Injectable()
export class Upkeep {
  private readonly steps: readonly UpkeepStep[];
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();

  constructor(
    @Inject(ScheduleUpkeep) private readonly schedules: ScheduleUpkeep,
    @Inject(RetentionUpkeep) retention: RetentionUpkeep,
    @Inject(ReportUpkeep) reports: ReportUpkeep,
    @Inject(ErasureUpkeep) erasures: ErasureUpkeep,
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.steps = [schedules, retention, reports, erasures];
  }

  /** @param afterUncleanStop whether events may be lost that jobs wait for */
  start({ afterUncleanStop }: { afterUncleanStop: boolean }): void {
    if (afterUncleanStop) this.next(() => this.resume());
    this.timer = setInterval(() => this.next(() => this.runOnce()), INTERVAL_MS);
    this.timer.unref();
  }

  private next(work: () => Promise<void>): void {
    this.round = this.round.then(work).catch((error: unknown) => this.log.error({ err: error }, 'upkeep failed'));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
  }

  /** Requests again, at once, everything that the open jobs wait for. A request that was not lost is answered twice, which changes nothing. */
  async resume(): Promise<void> {
    let open = 0;
    for await (const { id: jobId, run } of this.jobs.all({ where: { open: true }, direction: 'ascending' })) {
      open += 1;
      await attempt(this.log, { job_id: jobId }, () => this.jobs.apply(jobId, { type: 'resumed', run }));
    }
    await attempt(this.log, {}, () => this.schedules.run());
    if (open > 0) this.log.warn({ jobs: open }, 'unclean stop: all work that open jobs wait for was requested again');
  }

  async runOnce(): Promise<void> {
    for (const step of this.steps) await attempt(this.log, {}, () => step.run());
  }
}
