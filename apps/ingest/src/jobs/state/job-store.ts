import { Inject, Injectable } from '@nestjs/common';
import type { NewEvent } from '@parlance/contracts';
import { currentTraceparent, inTrace, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase, Page, PagesQuery, Query } from '@parlance/storage';
import { announceDeletionAgain, deleteJob } from './delete-job.js';
import type { JobInput } from './job-input.js';
import { advance } from './job-state-machine.js';
import { isDeleted, jobCollection, withEveryStage, type Job, type JobDocument } from './job.js';
import type { CreatedJob } from './new-job.js';

/** Called with each change of a job after it is stored. */
export const JOB_OBSERVER = Symbol('JobObserver');
export type JobObserver = (change: { before: Job | undefined; after: Job; events: readonly NewEvent[] }) => void;

/** Job documents, changed through the state machine alone; each write carries its events. */
@Injectable()
export class JobStore {
  private readonly collection: DocumentCollection<JobDocument>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(JOB_OBSERVER) private readonly observe: JobObserver,
  ) {
    this.collection = documents.collection(jobCollection);
  }

  /** @returns false when there is, or was, a job of that id */
  async insertIfAbsent(created: CreatedJob): Promise<boolean> {
    const stored = await this.collection.insertIfAbsent(created.job, created.events);
    if (stored) this.observeNew(created);
    return stored !== undefined;
  }

  /** All by one write, up to the first whose id there is, or was, already. @returns how many are stored now */
  async insertInOrder(created: readonly CreatedJob[]): Promise<number> {
    const stored = await this.collection.insertInOrder(created.map(({ job, events }) => ({ document: job, events })));
    for (const each of created.slice(0, stored)) this.observeNew(each);
    return stored;
  }

  private observeNew({ job: after, events }: CreatedJob): void {
    inTrace(after.traceparent, () => this.observe({ before: undefined, after, events }));
  }

  /** undefined for a job that does not exist or was deleted. */
  async get(jobId: string): Promise<Job | undefined> {
    return alive((await this.collection.get(jobId))?.document);
  }

  /**
   * Lets the job hear something. Every input is idempotent, so no inbox is kept: hearing it again changes nothing.
   * @returns the job afterwards. @throws AppError conflict/invalid_state for a cancel or retry that is not possible.
   */
  async apply(jobId: string, input: JobInput): Promise<Job | undefined> {
    let change: Parameters<JobObserver>[0] | undefined;
    const running = currentTraceparent();
    const { stored } = await this.collection.update(jobId, (current) => {
      const before = alive(current);
      const transition = before && advance(before, input, this.now());
      change = transition && { before, after: transition.job, events: transition.events };
      if (!before || !transition) return undefined;
      const traceparent = running ?? before.traceparent;
      const document = input.type === 'retry' && running !== undefined ? { ...transition.job, traceparent: running } : transition.job;
      return { document, events: transition.events.map((event) => ({ ...event, traceparent })) };
    });
    if (change) this.observe(change);
    return alive(stored?.document);
  }

  /** Asks again for what the job waits for. Users see no change of the job. @param requests of the job as it is then */
  async ask(jobId: string, requests: (job: Job) => readonly NewEvent[]): Promise<void> {
    await this.collection.update(jobId, (current) => {
      const job = alive(current);
      const events = job ? requests(job) : [];
      if (!job || events.length === 0) return undefined;
      return { document: { ...job, askedAt: this.now() }, events: events.map((event) => ({ ...event, traceparent: job.traceparent })) };
    });
  }

  /** Leaves a tombstone. @param isDue asked of the job as it is when it is deleted. @returns whether there was such a job. */
  async delete(jobId: string, isDue: (job: Job) => boolean = () => true): Promise<boolean> {
    let deleted = false;
    await this.collection.update(jobId, (current) => {
      const job = alive(current);
      deleted = job !== undefined && isDue(job);
      return job && deleted ? deleteJob(job, this.now()) : undefined;
    });
    return deleted;
  }

  /** Publishes the deletion once more. @returns whether the job was deleted */
  async announceDeletionAgain(jobId: string, accountId: string): Promise<boolean> {
    const { changed } = await this.collection.update(jobId, (current) =>
      current && isDeleted(current) ? { document: current, events: [announceDeletionAgain(current, accountId, this.now())] } : undefined,
    );
    return changed;
  }

  /** Every job that matches, a page at a time: jobs may be changed or deleted on the way. */
  async *all(query: PagesQuery): AsyncGenerator<Job> {
    for await (const { document } of this.collection.all(query)) {
      const job = alive(document);
      if (job) yield job;
    }
  }

  async find(query: Query): Promise<{ jobs: Job[]; nextCursor: string | null }> {
    const page: Page<JobDocument> = await this.collection.find(query);
    return { jobs: page.items.map(({ document }) => alive(document)).filter((job) => job !== undefined), nextCursor: page.nextCursor };
  }

  /** The jobs of the account, those that cannot be read included. */
  countOf(accountId: string): Promise<number> {
    return this.collection.count({ accountId });
  }

  /** Removes jobs of the account that no read finds, because their keys were destroyed. Only once no read finds any. */
  async removeUnreadable(accountId: string): Promise<void> {
    await this.collection.removeWhere({ accountId });
  }

  count(status: Job['status']): Promise<number> {
    return this.collection.count({ status });
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}

const alive = (document: JobDocument | undefined): Job | undefined => (document && !isDeleted(document) ? withEveryStage(document) : undefined);
