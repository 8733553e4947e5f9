import { setImmediate as nextTurn } from 'node:timers/promises';
import { goOnWith, type Clock } from '@parlance/platform';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import type { JobStore } from '../jobs/job-store.js';
import { isTerminal, type Job } from '../jobs/job.js';
import {
  admit,
  emptySchedule,
  finishChunk,
  mend,
  plan,
  remove,
  scheduleCollection,
  type Schedule,
  type ScheduleChange,
  type ScheduleLimits,
} from './schedule.js';

/**
 * Applies the schedule's functions to the stored schedules. All of them are idempotent, and where a place gets free
 * the waiting jobs are looked up after that is stored: a job that was queued before is found, one queued later finds the place.
 */
export class Scheduler {
  private readonly schedules: DocumentCollection<Schedule>;
  private readonly aboutToFill = new Map<string, Promise<void>>();

  constructor(
    documents: DocumentDatabase,
    private readonly jobs: JobStore,
    private readonly limits: ScheduleLimits,
    private readonly clock: Clock,
  ) {
    this.schedules = documents.collection(scheduleCollection);
  }

  /** Lets the account's oldest queued jobs begin, as far as there is room. Calls of one turn of the event loop share one look. */
  fill(accountId: string): Promise<void> {
    let filling = this.aboutToFill.get(accountId);
    if (!filling) {
      filling = nextTurn().then(() => {
        this.aboutToFill.delete(accountId);
        return this.fillNow(accountId);
      });
      this.aboutToFill.set(accountId, filling);
    }
    return filling;
  }

  /** The job's media is ready: its chunks go out. */
  async plan(job: Job): Promise<void> {
    const { id: jobId, run, chunks, planKey = '' } = job;
    const planned = { jobId, run, total: chunks.total, done: chunks.done, planKey, traceparent: goOnWith(job.traceparent) };
    await this.change(job.accountId, (schedule) => plan(schedule, planned, this.limits));
  }

  async finishChunk(accountId: string, chunk: { jobId: string; run: number; index: number }): Promise<void> {
    await this.change(accountId, (schedule) => finishChunk(schedule, chunk, this.limits));
    await this.fill(accountId);
  }

  /** A run of a job has ended. */
  async remove(accountId: string, ended: { jobId: string; run: number }): Promise<void> {
    await this.change(accountId, (schedule) => remove(schedule, ended, this.limits));
    await this.fill(accountId);
  }

  private async fillNow(accountId: string): Promise<void> {
    const current = await this.schedules.get(accountId);
    const active = current?.document.active ?? [];
    if (active.length >= this.limits.maxActive) return;
    const { jobs } = await this.jobs.find({
      where: { accountId, status: 'queued' },
      direction: 'ascending',
      limit: this.limits.maxActive + active.length,
    });
    if (jobs.length === 0) return;
    const queued = jobs.map(({ id, run, traceparent }) => ({ jobId: id, run, traceparent: goOnWith(traceparent) }));
    await this.change(accountId, (schedule) => admit(schedule, queued, this.limits));
  }

  /** Schedules with jobs in them. */
  async *busy(): AsyncGenerator<Schedule> {
    let cursor: string | null | undefined;
    do {
      const page = await this.schedules.find({ where: { busy: true }, direction: 'ascending', limit: 100, ...(cursor && { cursor }) });
      for (const { document } of page.items) yield document;
      cursor = page.nextCursor;
    } while (cursor);
  }

  /** Frees what jobs hold that have ended, are gone or are in a later run: the event that says so may lie among the dead letters. */
  async releaseEnded({ id: accountId, active }: Schedule): Promise<void> {
    for (const { jobId, run } of active) {
      const job = await this.jobs.get(jobId);
      if (!job || isTerminal(job.status) || job.run > run) await this.remove(accountId, { jobId, run });
    }
  }

  /** Puts right what lost events left behind, as far as the account's queued jobs show it, and lets jobs begin. */
  async mend(accountId: string, queued: readonly { jobId: string; run: number }[], patienceMs: number): Promise<void> {
    await this.change(accountId, (schedule) => mend(schedule, queued, { now: this.clock.now(), patienceMs }));
    await this.fill(accountId);
  }

  private async change(accountId: string, change: (schedule: Schedule) => ScheduleChange | undefined): Promise<void> {
    await this.schedules.update(accountId, (current) => {
      const changed = change(current ?? emptySchedule(accountId, this.clock.now().toISOString()));
      return changed && { document: { ...changed.schedule, busy: changed.schedule.active.length > 0 }, events: changed.events };
    });
  }
}
