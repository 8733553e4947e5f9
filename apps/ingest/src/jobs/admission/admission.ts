import { Inject, Injectable } from '@nestjs/common';
import { AppError, TurnBatch, type Clock } from '@parlance/platform';
import { CLOCK, CONFIG, DOCUMENTS } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import type { IngestConfig } from '../../ingest.config.js';
import { JobStore } from '../state/job-store.js';
import { isTerminal, type Job } from '../state/job.js';
import { enter, inFlightCollection, leave, type Ended, type Entry, type InFlight } from './in-flight.js';

/** Milliseconds after which a place is free whose job was never made or begun again: its process was killed in between. */
const ABANDONED_MS = 60_000;
/** Seconds after which a refused caller may ask again; some job has ended by then, or none. */
const RETRY_AFTER_SECONDS = 10;
/** Jobs that one refusal looks up: they hold places, and the events of their ends may be lost. */
const MAX_LOOK_UPS = 32;

/**
 * Bounds the jobs of an account that are in flight. A place is taken before the job is made and given free after it has ended; both
 * are changes of one versioned document an account, so that no number of processes takes one place too many.
 */
@Injectable()
export class Admission {
  private readonly collection: DocumentCollection<InFlight>;
  private readonly limit: number;
  /** Number of an account's held places that its last refusals have checked. */
  private readonly checkedPlaces = new Map<string, number>();
  /** One write takes all places of an account that are requested in one turn of the event loop. The outcome is the refused jobs. */
  private readonly requests = new TurnBatch<Entry, ReadonlySet<string>>((accountId, entries) => this.takeFor(accountId, entries));

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(JobStore) private readonly jobs: Pick<JobStore, 'get' | 'all'>,
    @Inject(CONFIG) config: Pick<IngestConfig, 'JOBS_IN_FLIGHT_PER_ACCOUNT'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.limit = config.JOBS_IN_FLIGHT_PER_ACCOUNT;
    this.collection = documents.collection(inFlightCollection);
  }

  /** Gives no further places to the account. May be repeated. */
  async close(accountId: string): Promise<void> {
    const first = await this.found(accountId);
    await this.collection.update(accountId, (current = first) => (current.closed ? undefined : { document: { ...current, closed: true } }));
  }

  async reopen(accountId: string): Promise<void> {
    await this.collection.update(accountId, (current) => {
      if (!current?.closed) return undefined;
      const { closed: _closed, ...open } = current;
      return { document: open };
    });
  }

  /** Places that were taken a moment ago, whose jobs may be made yet. */
  async countRecent(accountId: string): Promise<number> {
    const since = new Date(this.clock.now().getTime() - ABANDONED_MS).toISOString();
    return Object.values((await this.collection.get(accountId))?.document.jobs ?? {}).filter((taken) => taken > since).length;
  }

  /**
   * Takes a place for a job; for one that has it, this changes nothing, or with `again` makes it that of a further run.
   * @param limit of this account, where it has one of its own; 0 is none
   * @throws AppError rate_limited/too_many_jobs, account_deletion_scheduled
   */
  async take(accountId: string, jobId: string, { limit = this.limit, again = false }: { limit?: number | undefined; again?: boolean } = {}): Promise<void> {
    if (limit === 0) return this.requireOpen(accountId);
    const refused = await this.requests.add(accountId, { jobId, limit, again });
    if (!refused.has(jobId)) return;
    await this.requireOpen(accountId);
    throw tooMany(limit);
  }

  /** Checks that there is a place now, before long work such as an upload. @throws AppError rate_limited/too_many_jobs, account_deletion_scheduled */
  async requireRoom(accountId: string, limit = this.limit): Promise<void> {
    await this.requireOpen(accountId);
    const isFull = async () => limit > 0 && Object.keys((await this.collection.get(accountId))?.document.jobs ?? {}).length >= limit;
    if (!(await isFull())) return;
    await this.freeEnded(accountId);
    if (await isFull()) throw tooMany(limit);
  }

  private async requireOpen(accountId: string): Promise<void> {
    if ((await this.collection.get(accountId))?.document.closed) throw new AppError({ code: 'account_deletion_scheduled', message: 'The account is to be deleted, so that it starts no new work.' });
  }

  /** The place of a further run that an operator begins, also where there is no room: it counts against the next request. */
  async takeBeyond(accountId: string, jobId: string): Promise<void> {
    const entry = { jobId, limit: Infinity, again: true };
    await this.collection.update(accountId, (current) => current && { document: enter(current, [entry], this.clock.now().toISOString()).inFlight });
  }

  /** After the job may have ended, or was not made: its place is free unless it is in flight. */
  async settle(accountId: string, jobId: string, job: Job | undefined): Promise<void> {
    if (!job || isTerminal(job.status)) await this.release(accountId, [{ jobId, until: job?.completedAt }]);
  }

  private async release(accountId: string, ended: readonly Ended[]): Promise<void> {
    await this.collection.update(accountId, (current) => {
      const document = current && leave(current, ended);
      return document && { document };
    });
  }

  /** Frees places of jobs that have ended when the account is full: the events that free them may be late or lost. @returns the refused jobs */
  private async takeFor(accountId: string, entries: readonly Entry[]): Promise<ReadonlySet<string>> {
    const refused = await this.enter(accountId, entries);
    if (refused.size === 0) return refused;
    await this.freeEnded(accountId);
    // Tried again even if no place was freed here: an event may have freed one since the refusal.
    return this.enter(accountId, entries.filter(({ jobId }) => refused.has(jobId)));
  }

  private async enter(accountId: string, entries: readonly Entry[]): Promise<ReadonlySet<string>> {
    return (await this.enterKnown(accountId, entries)) ?? (await this.enterKnown(accountId, entries, await this.found(accountId))) ?? new Set();
  }

  /** @returns the refused; undefined when nothing is known of the account. */
  private async enterKnown(accountId: string, entries: readonly Entry[], first?: InFlight): Promise<ReadonlySet<string> | undefined> {
    let refused: ReadonlySet<string> | undefined;
    await this.collection.update(accountId, (current) => {
      const before = current ?? first;
      if (!before) return undefined;
      const entered = enter(before, entries, this.clock.now().toISOString());
      refused = entered.refused;
      return refused.size === entries.length ? undefined : { document: entered.inFlight };
    });
    return refused;
  }

  /** Returns the jobs in flight from before there was a limit. */
  private async found(accountId: string): Promise<InFlight> {
    const now = this.clock.now().toISOString();
    const jobs: Record<string, string> = {};
    for (const status of ['queued', 'processing'] as const) {
      for await (const { id } of this.jobs.all({ where: { accountId, status } })) jobs[id] = now;
    }
    return { id: accountId, createdAt: now, jobs };
  }

  /** Looks up some of the jobs that hold places, and the next ones when it is called again. */
  private async freeEnded(accountId: string): Promise<void> {
    const held = Object.entries((await this.collection.get(accountId))?.document.jobs ?? {});
    const start = this.checkedPlaces.get(accountId) ?? 0;
    const some = held.slice(start, start + MAX_LOOK_UPS);
    const ended = (await Promise.all(some.map(([jobId, since]) => this.endOf(jobId, since)))).flat();
    await this.release(accountId, ended);
    if (ended.length === 0 && start + MAX_LOOK_UPS < held.length) this.checkedPlaces.set(accountId, start + MAX_LOOK_UPS);
    else this.checkedPlaces.delete(accountId);
  }

  private async endOf(jobId: string, since: string): Promise<Ended[]> {
    const job = await this.jobs.get(jobId);
    if (job && !isTerminal(job.status)) return [];
    // A repeated call for a job that has ended, or a retry that came to nothing, took it after the end.
    const isAbandoned = this.clock.now().getTime() - Date.parse(since) >= ABANDONED_MS;
    if (isAbandoned) return [{ jobId, until: since }];
    return job?.completedAt !== undefined && since <= job.completedAt ? [{ jobId, until: job.completedAt }] : [];
  }
}

const tooMany = (limit: number): AppError =>
  new AppError({
    kind: 'rate_limited',
    code: 'too_many_jobs',
    message: `The account has ${limit} jobs queued or processing, which is its limit.`,
    retryAfter: RETRY_AFTER_SECONDS,
  });
