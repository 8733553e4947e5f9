import { Inject, Injectable } from '@nestjs/common';
import { TurnBatch, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { JobStore } from '../state/job-store.js';
import { isAwaitingMedia, isOpened, isTerminal, type Job } from '../state/job.js';
import { ActiveLimit } from './active-limit.js';
import { IngestQueues } from './ingest-queues.js';
import { admit, dropChunks, emptySchedule, inOrder, remove, scheduleCollection, type Schedule, type ScheduledJob } from './schedule.js';

/**
 * Applies the schedule's functions to the stored schedules. All of them are idempotent, and where a place gets free
 * the waiting jobs are looked up after that is stored: a job that was queued before is found, one queued later finds the place.
 */
@Injectable()
export class Scheduler {
  private readonly schedules: DocumentCollection<Schedule>;
  private readonly fills = new TurnBatch<void, void>((accountId) => this.fillNow(accountId));

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(IngestQueues) private readonly queues: Pick<IngestQueues, 'addJobs'>,
    @Inject(ActiveLimit) private readonly limit: Pick<ActiveLimit, 'jobs'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.schedules = documents.collection(scheduleCollection);
  }

  /** Lets the account's oldest queued jobs begin, as far as there is room. Calls of one turn of the event loop share one look. */
  fill(accountId: string): Promise<void> {
    return this.fills.add(accountId);
  }

  /** The transcript of a job is there, or its run has ended. */
  async remove(accountId: string, ended: { jobId: string; run: number }): Promise<void> {
    await this.change(accountId, (schedule) => remove(schedule, ended));
    await this.fill(accountId);
  }

  private async fillNow(accountId: string): Promise<void> {
    const current = await this.schedules.get(accountId);
    const active = current?.document.active ?? [];
    const maxActive = await this.limit.jobs();
    if (active.length >= maxActive) return;
    const jobs = (await this.queued(accountId, maxActive + active.length)).filter(isOpened);
    if (jobs.length === 0) return;
    const queued = jobs.map(({ id, run, priority }) => ({ jobId: id, run, isBatch: priority === 'batch' }));
    let admitted: readonly ScheduledJob[] = [];
    await this.change(accountId, (schedule) => {
      const change = admit(schedule, queued, { maxActive });
      admitted = change?.jobs ?? [];
      return change?.schedule;
    });
    // A process that dies in between leaves this to `reconcile`.
    await this.queues.addJobs(jobs.filter(({ id }) => admitted.some(({ jobId }) => jobId === id)));
  }

  /** The jobs that may begin next, in their order. Normal ones are looked for apart only where jobs of lower priority may hide them. */
  private async queued(accountId: string, limit: number): Promise<Job[]> {
    const query = { direction: 'ascending', limit } as const;
    const { jobs: oldest } = await this.jobs.find({ ...query, where: { accountId, status: 'queued' } });
    if (!oldest.some(({ priority }) => priority === 'batch')) return oldest;
    const { jobs: normal } = await this.jobs.find({ ...query, where: { accountId, status: 'queued', priority: 'normal' } });
    const all = new Map([...oldest, ...normal].map((job) => [job.id, { job, createdAt: job.createdAt, isBatch: job.priority === 'batch' }]));
    return inOrder([...all.values()]).map(({ job }) => job);
  }

  /** Schedules with jobs in them. */
  async *busy(): AsyncGenerator<Schedule> {
    for await (const { document } of this.schedules.all({ where: { busy: true }, direction: 'ascending' })) yield document;
  }

  /**
   * Frees what jobs hold that have ended, are gone or are in a later run, and adds the tasks of those without media: events and
   * tasks may be lost. A task that is there is not added twice.
   */
  async reconcile({ id: accountId, active }: Schedule): Promise<void> {
    const waiting: Job[] = [];
    for (const { jobId, run } of active) {
      const job = await this.jobs.get(jobId);
      if (!job || isTerminal(job.status) || job.run > run) await this.remove(accountId, { jobId, run });
      else if (isAwaitingMedia(job)) waiting.push(job);
    }
    await this.queues.addJobs(waiting);
  }

  /** Jobs whose chunks the version before has requested in part: the tasks of all are added before that is forgotten. */
  async takeOver({ id: accountId, active }: Schedule, addTasks: (job: { jobId: string; run: number }) => Promise<unknown>): Promise<void> {
    for (const { jobId, run, chunks } of active) {
      if (!chunks) continue;
      await addTasks({ jobId, run });
      await this.change(accountId, (schedule) => dropChunks(schedule, jobId));
    }
  }

  private async change(accountId: string, change: (schedule: Schedule) => Schedule | undefined): Promise<void> {
    await this.schedules.update(accountId, (current) => {
      const changed = change(current ?? emptySchedule(accountId, this.clock.now().toISOString()));
      return changed && { document: { ...changed, busy: changed.active.length > 0 } };
    });
  }
}
