import type { Clock, Logger } from '@parlance/platform';
import type { JobRequests } from '../jobs/job-requests.js';
import type { JobStore } from '../jobs/job-store.js';
import type { Scheduler } from '../schedule/scheduler.js';
import { overdue, type Deadlines } from './overdue.js';

const PAGE = 100;

/** By then a job that may begin is asked for again, in ms. Asking twice does no harm, so a long queue is no reason to wait longer. */
const PATIENCE_MS = 30 * 60_000;

export interface UpkeepDependencies {
  jobs: JobStore;
  requests: JobRequests;
  scheduler: Scheduler;
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
  /** Since when, in ms, time has passed for the jobs too: a machine that slept or was off has no late jobs. */
  private awakeSince: number;
  private lastRound: number;

  constructor(private readonly dependencies: UpkeepDependencies) {
    this.awakeSince = this.lastRound = dependencies.clock.now().getTime();
  }

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
    const { clock, intervalMs } = this.dependencies;
    const now = clock.now().getTime();
    if (now - this.lastRound > 3 * intervalMs) this.awakeSince = now;
    this.lastRound = now;
    await this.mendSchedules();
    await this.deleteExpired(now);
    await this.endOverdue(now);
  }

  /** In case an event that should have let a job begin, or the end of its last run, is lost among the dead letters. */
  private async mendSchedules(): Promise<void> {
    const { jobs, scheduler } = this.dependencies;
    const queued = new Map<string, { jobId: string; run: number }[]>();
    let cursor: string | null | undefined;
    do {
      const page = await jobs.find({ where: { status: 'queued' }, direction: 'ascending', limit: PAGE, ...(cursor && { cursor }) });
      for (const { id: jobId, accountId, run } of page.jobs) {
        const ofAccount = queued.get(accountId) ?? [];
        queued.set(accountId, ofAccount);
        ofAccount.push({ jobId, run });
      }
      cursor = page.nextCursor;
    } while (cursor);
    for (const [accountId, ofAccount] of queued) await scheduler.mend(accountId, ofAccount, PATIENCE_MS);
  }

  private async deleteExpired(now: number): Promise<void> {
    const { jobs, requests, log } = this.dependencies;
    const lt = new Date(now + 1).toISOString();
    for (const status of ['completed', 'failed', 'canceled'] as const) {
      const query = { where: { status }, range: { field: 'expiresAt', lt }, orderBy: 'expiresAt', direction: 'ascending', limit: PAGE } as const;
      for (let page = await jobs.find(query); page.jobs.length > 0; page = await jobs.find(query)) {
        for (const job of page.jobs) {
          log.info({ job_id: job.id, account_id: job.accountId }, 'kept for as long as it should be');
          await requests.erase(job);
        }
      }
    }
  }

  private async endOverdue(now: number): Promise<void> {
    const { jobs, deadlines, log } = this.dependencies;
    const lt = new Date(now - Math.min(deadlines.stageMs, deadlines.stallMs)).toISOString();
    let cursor: string | null | undefined;
    do {
      const page = await jobs.find({
        where: { open: true },
        range: { field: 'updatedAt', lt },
        orderBy: 'updatedAt',
        direction: 'ascending',
        limit: PAGE,
        ...(cursor && { cursor }),
      });
      for (const job of page.jobs) {
        for (const input of overdue(job, { now, awakeSince: this.awakeSince }, deadlines)) {
          log.warn({ job_id: job.id, account_id: job.accountId, input: input.type }, 'nothing was heard in time');
          await jobs.apply(job.id, input);
        }
      }
      cursor = page.nextCursor;
    } while (cursor);
  }
}

