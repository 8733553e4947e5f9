import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { Scheduler } from '../schedule/scheduler.js';
import { JobStore } from '../state/job-store.js';
import { attempt, type UpkeepStep } from './upkeep-step.js';

/** Queued jobs that are read at once, and how often in one round. */
const PAGE = 200;
const MAX_PAGES = 10;

/** Reconciles the schedules with the jobs, in case a task is lost, or an event that should have started a job or ended its run. */
@Injectable()
export class ScheduleUpkeep implements UpkeepStep {
  private cursor: string | null = null;

  constructor(
    @Inject(JobStore) private readonly jobs: Pick<JobStore, 'apply' | 'find'>,
    @Inject(Scheduler) private readonly scheduler: Pick<Scheduler, 'busy' | 'fill' | 'reconcile' | 'takeOver'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  run(signal: AbortSignal): Promise<void> {
    return this.reconcile(signal, MAX_PAGES);
  }

  /** A round that reads every queued job: after an unclean stop the event of each may be lost. */
  runWhole(signal: AbortSignal): Promise<void> {
    this.cursor = null;
    return this.reconcile(signal, Infinity);
  }

  private async reconcile(signal: AbortSignal, maxPages: number): Promise<void> {
    const parts = { log: this.log, signal };
    for await (const schedule of this.scheduler.busy()) {
      const fields = { account_id: schedule.id };
      await attempt(parts, fields, () => this.scheduler.reconcile(schedule));
      await attempt(parts, fields, () => this.scheduler.takeOver(schedule, ({ jobId, run }) => this.jobs.apply(jobId, { type: 'resumed', run })));
    }
    for (const accountId of await this.accountsWithQueuedJobs(maxPages)) await attempt(parts, { account_id: accountId }, () => this.scheduler.fill(accountId));
  }

  /** Reads so many pages of queued jobs, oldest first. The next round continues there, and begins again after the last one. */
  private async accountsWithQueuedJobs(maxPages: number): Promise<Set<string>> {
    const accounts = new Set<string>();
    for (let pages = 0; pages < maxPages; pages += 1) {
      const { jobs, nextCursor } = await this.jobs.find({ where: { status: 'queued' }, direction: 'ascending', limit: PAGE, ...(this.cursor !== null && { cursor: this.cursor }) });
      for (const { accountId } of jobs) accounts.add(accountId);
      this.cursor = nextCursor;
      if (nextCursor === null) break;
    }
    return accounts;
  }
}
