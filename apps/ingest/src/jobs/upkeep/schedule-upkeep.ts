import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { Scheduler } from '../schedule/scheduler.js';
import { JobStore } from '../state/job-store.js';
import { attempt, type UpkeepStep } from './upkeep-step.js';

/** Reconciles the schedules with the jobs, in case a task is lost, or an event that should have started a job or ended its run. */
@Injectable()
export class ScheduleUpkeep implements UpkeepStep {
  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(Scheduler) private readonly scheduler: Scheduler,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(): Promise<void> {
    for await (const schedule of this.scheduler.busy()) {
      const fields = { account_id: schedule.id };
      await attempt(this.log, fields, () => this.scheduler.reconcile(schedule));
      await attempt(this.log, fields, () => this.scheduler.takeOver(schedule, ({ jobId, run }) => this.jobs.apply(jobId, { type: 'resumed', run })));
    }
    const accounts = new Set<string>();
    for await (const { accountId } of this.jobs.all({ where: { status: 'queued' }, direction: 'ascending' })) accounts.add(accountId);
    for (const accountId of accounts) await attempt(this.log, { account_id: accountId }, () => this.scheduler.fill(accountId));
  }
}
