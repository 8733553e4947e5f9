import type { Clock, Logger } from '@parlance/platform';
import type { Query } from '@parlance/storage';
import type { JobRequests } from '../jobs/job-requests.js';
import type { JobStore } from '../jobs/job-store.js';
import type { Job } from '../jobs/job.js';
import type { Scheduler } from '../schedule/scheduler.js';
import type { AwakeTime } from './awake-time.js';
import { overdue, type Deadlines } from './overdue.js';

const PAGE = 100;

/** By then a job that may begin is asked for again, in ms. Asking twice does no harm, so a long queue is no reason to wait longer. */
const PATIENCE_MS = 30 * 60_000;

export interface UpkeepDependencies {
  jobs: JobStore;
  requests: JobRequests;
  scheduler: Scheduler;
  awakeTime: AwakeTime;
  deadlines: Deadlines;
  clock: Clock;
  log: Logger;
  /** Milliseconds between two rounds. */
  intervalMs: number;
}

/** Looks after jobs that nothing reports about any more. Every process may run it: each step is idempotent. */
export class Upkeep {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();

  constructor(private readonly dependencies: UpkeepDependencies) {}

  start(): void {
    const { intervalMs, log } = this.dependencies;
    this.timer = setInterval(() => {
      this.round = this.round.then(() => this.runOnce()).catch((error: unknown) => log.error({ err: error }, 'upkeep failed'));
    }, intervalMs);
    this.timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
  }

  async runOnce(): Promise<void> {
    const now = this.dependencies.clock.now().getTime();
    await this.attempt({}, () => this.mendSchedules());
    await this.attempt({}, () => this.deleteExpired(now));
    await this.attempt({}, () => this.endOverdue(now));
  }

  /** What cannot be done now keeps nothing else from being done; the next round tries it again. */
  private async attempt(about: { job_id?: string; account_id?: string }, step: () => Promise<unknown>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.dependencies.log.error({ ...about, err: error }, 'upkeep failed');
    }
  }

  /** In case an event that should have let a job begin, or the end of its last run, is lost among the dead letters. */
  private async mendSchedules(): Promise<void> {
    const { scheduler } = this.dependencies;
    for await (const schedule of scheduler.busy()) {
      await this.attempt({ account_id: schedule.id }, () => scheduler.releaseEnded(schedule));
    }
    const queued = new Map<string, { jobId: string; run: number }[]>();
    for await (const { id: jobId, accountId, run } of this.all({ where: { status: 'queued' }, direction: 'ascending' })) {
      const ofAccount = queued.get(accountId) ?? [];
      queued.set(accountId, ofAccount);
      ofAccount.push({ jobId, run });
    }
    for (const [accountId, ofAccount] of queued) {
      await this.attempt({ account_id: accountId }, () => scheduler.mend(accountId, ofAccount, PATIENCE_MS));
    }
  }

  private async deleteExpired(now: number): Promise<void> {
    const { requests, log } = this.dependencies;
    const lt = new Date(now + 1).toISOString();
    for (const status of ['completed', 'failed', 'canceled'] as const) {
      for await (const job of this.all({ where: { status }, range: { field: 'expiresAt', lt }, orderBy: 'expiresAt', direction: 'ascending' })) {
        const about = { job_id: job.id, account_id: job.accountId };
        log.info(about, 'kept for as long as it should be');
        await this.attempt(about, () => requests.erase(job, ({ expiresAt }) => expiresAt !== undefined && expiresAt < lt));
      }
    }
  }

  private async endOverdue(now: number): Promise<void> {
    const { jobs, awakeTime, deadlines, log } = this.dependencies;
    const awakeSince = await awakeTime.since(now);
    const lt = new Date(now - Math.min(deadlines.stageMs, deadlines.stallMs)).toISOString();
    for await (const job of this.all({ where: { open: true }, range: { field: 'updatedAt', lt }, orderBy: 'updatedAt', direction: 'ascending' })) {
      for (const input of overdue(job, { now, awakeSince }, deadlines)) {
        const about = { job_id: job.id, account_id: job.accountId };
        log.warn({ ...about, input: input.type }, 'nothing was heard in time');
        await this.attempt(about, () => jobs.apply(job.id, input));
      }
    }
  }

  private async *all(query: Query): AsyncGenerator<Job> {
    let cursor: string | null | undefined;
    do {
      const page = await this.dependencies.jobs.find({ ...query, limit: PAGE, ...(cursor && { cursor }) });
      yield* page.jobs;
      cursor = page.nextCursor;
    } while (cursor);
  }
}
