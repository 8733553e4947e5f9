import type { Clock, Logger } from '@parlance/platform';
import type { Query } from '@parlance/storage';
import type { ErasureStore } from '../erasure/erasure-store.js';
import type { JobRequests } from '../job-requests.js';
import type { JobStore } from '../state/job-store.js';
import type { Job } from '../state/job.js';
import { requestAgain } from '../state/requests-again.js';
import type { Scheduler } from '../schedule/scheduler.js';
import type { AwakeTime } from './awake-time.js';
import type { ExpiredMedia } from './expired-media.js';
import { overdue, unreported, type Deadlines } from './overdue.js';

const PAGE = 100;

/** Milliseconds without a report after which the request of a stage is published again. With the time between two rounds, this is within 5 minutes. */
const QUIET_MS = 4 * 60_000;

export interface UpkeepDependencies {
  jobs: JobStore;
  requests: JobRequests;
  erasures: ErasureStore;
  scheduler: Scheduler;
  awakeTime: AwakeTime;
  expiredMedia: ExpiredMedia;
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

  /** @param afterUncleanStop whether events may be lost that jobs wait for */
  start({ afterUncleanStop }: { afterUncleanStop: boolean }): void {
    if (afterUncleanStop) this.next(() => this.resume());
    this.timer = setInterval(() => this.next(() => this.runOnce()), this.dependencies.intervalMs);
    this.timer.unref();
  }

  private next(work: () => Promise<void>): void {
    this.round = this.round.then(work).catch((error: unknown) => this.dependencies.log.error({ err: error }, 'upkeep failed'));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
  }

  /** Asks again, at once, for everything that the open jobs wait for. What was not lost is answered twice, which changes nothing. */
  async resume(): Promise<void> {
    const { jobs, log } = this.dependencies;
    let open = 0;
    for await (const { id: jobId, run } of this.all({ where: { open: true }, direction: 'ascending' })) {
      open += 1;
      await this.attempt({ job_id: jobId }, () => jobs.apply(jobId, { type: 'resumed', run }));
    }
    await this.attempt({}, () => this.reconcileSchedules());
    if (open > 0) log.warn({ jobs: open }, 'unclean stop: all work that open jobs wait for was requested again');
  }

  async runOnce(): Promise<void> {
    const now = this.dependencies.clock.now().getTime();
    await this.attempt({}, () => this.reconcileSchedules());
    await this.attempt({}, () => this.deleteExpired(now));
    await this.attempt({}, () => this.eraseExpiredMedia(now));
    await this.attempt({}, () => this.endOverdue(now));
    await this.attempt({}, () => this.askForUnreported(now));
    await this.attempt({}, () => this.askForErasures());
  }

  /** What cannot be done now keeps nothing else from being done; the next round tries it again. */
  private async attempt(about: { job_id?: string; account_id?: string }, step: () => Promise<unknown>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.dependencies.log.error({ ...about, err: error }, 'upkeep failed');
    }
  }

  /** In case a task is lost, or an event that should have let a job begin or told that its last run ended. */
  private async reconcileSchedules(): Promise<void> {
    const { jobs, scheduler } = this.dependencies;
    for await (const schedule of scheduler.busy()) {
      await this.attempt({ account_id: schedule.id }, () => scheduler.reconcile(schedule));
      await this.attempt({ account_id: schedule.id }, () => scheduler.takeOver(schedule, ({ jobId, run }) => jobs.apply(jobId, { type: 'resumed', run })));
    }
    const accounts = new Set<string>();
    for await (const { accountId } of this.all({ where: { status: 'queued' }, direction: 'ascending' })) accounts.add(accountId);
    for (const accountId of accounts) await this.attempt({ account_id: accountId }, () => scheduler.fill(accountId));
  }

  private async deleteExpired(now: number): Promise<void> {
    const { requests, log } = this.dependencies;
    const lt = new Date(now + 1).toISOString();
    for (const status of ['completed', 'failed', 'canceled'] as const) {
      for await (const job of this.all({ where: { status }, range: { field: 'expiresAt', lt }, orderBy: 'expiresAt', direction: 'ascending' })) {
        const about = { job_id: job.id, account_id: job.accountId };
        log.info(about, 'job retention expired');
        await this.attempt(about, () => requests.erase(job, ({ expiresAt }) => expiresAt !== undefined && expiresAt < lt));
      }
    }
  }

  private async eraseExpiredMedia(now: number): Promise<void> {
    const { expiredMedia } = this.dependencies;
    const lt = new Date(now + 1).toISOString();
    for (const status of ['completed', 'failed', 'canceled'] as const) {
      for await (const job of this.all({ where: { status }, range: { field: 'mediaExpiresAt', lt }, orderBy: 'mediaExpiresAt', direction: 'ascending' })) {
        await this.attempt({ job_id: job.id, account_id: job.accountId }, () => expiredMedia.erase(job));
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
        log.warn({ ...about, input: input.type }, 'stage timed out: no event received');
        await this.attempt(about, () => jobs.apply(job.id, input));
      }
    }
  }

  /** In case an event that should have started a stage, or should have reported its end, is lost. */
  private async askForUnreported(now: number): Promise<void> {
    const { jobs } = this.dependencies;
    const lt = new Date(now - QUIET_MS + 1).toISOString();
    const requests = (job: Job) => unreported(job, now, QUIET_MS).flatMap((stage) => requestAgain(job, stage));
    for await (const job of this.all({ where: { open: true }, range: { field: 'updatedAt', lt }, orderBy: 'updatedAt', direction: 'ascending' })) {
      if (requests(job).length > 0) await this.attempt({ job_id: job.id, account_id: job.accountId }, () => jobs.ask(job.id, requests));
    }
  }

  /** In case a service did not receive `job.deleted`, or its report is lost, as after the restore of a backup. */
  private async askForErasures(): Promise<void> {
    const { jobs, erasures, log } = this.dependencies;
    for await (const { id, jobId, accountId } of erasures.unreported(QUIET_MS)) {
      const about = { job_id: jobId, account_id: accountId };
      await this.attempt(about, async () => {
        // A receipt is opened before its job is deleted, which may have come to nothing.
        if (!(await jobs.announceDeletionAgain(jobId, accountId))) return;
        log.warn(about, 'an erasure was not reported by all services and was requested again');
        await erasures.asked(id);
      });
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
