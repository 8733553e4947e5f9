import { Inject, Injectable } from '@nestjs/common';
import type { events } from '@parlance/contracts';
import { AppError, notFound, toAppError, type Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import { AccountHolds } from '../accounts/account-holds.js';
import { isHolding, underLegalHold } from '../accounts/legal-hold.js';
import { Admission } from './admission/admission.js';
import { ErasureStore } from './erasure/erasure-store.js';
import { listJobs, type JobFilter, type JobPage } from './job-list.js';
import { LiveAudio } from './live-audio.js';
import { erasureIdOf } from './state/delete-job.js';
import type { AddOnOrder, JobChanges, NewHold } from './state/job-input.js';
import { JobStore } from './state/job-store.js';
import { statusMessage } from './state/job-events.js';
import { ADD_ONS, isOpenStage, isTerminal, type AddOn, type Job } from './state/job.js';
import { createJob, type CreatedJob, type JobLimits, type NewJob } from './state/new-job.js';

/** The requests of callers about their jobs. A job of another account is not found. */
@Injectable()
export class JobRequests {
  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(ErasureStore) private readonly erasures: ErasureStore,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(AccountHolds) private readonly holds: Pick<AccountHolds, 'of'>,
    @Inject(LiveAudio) private readonly liveAudio: Pick<LiveAudio, 'note'>,
  ) {}

  /** Idempotent by the job's id: a second call gives the job as it is. @throws AppError not_found when that id is another account's, or was deleted; too_many_jobs */
  async create(request: NewJob): Promise<Job> {
    const made = await this.admit(request);
    return made ?? this.insert(createJob(request, this.now()));
  }

  /**
   * As by `create`, but stored by one write, as far as that can be. Never rejects.
   * @param requests one that throws is refused alone
   * @returns of each what `create` would give or throw
   */
  async createAll(requests: readonly (() => NewJob)[]): Promise<PromiseSettledResult<Job>[]> {
    const now = this.now();
    const admitted = await Promise.allSettled(
      requests.map(async (read) => {
        const request = read();
        return (await this.admit(request)) ?? createJob(request, now);
      }),
    );
    const fresh = admitted.flatMap((each) => (each.status === 'fulfilled' && isNew(each.value) ? [each.value] : []));
    const stored = new Set<CreatedJob | Job>(fresh.slice(0, await this.jobs.insertInOrder(fresh).catch(() => 0)));
    // Jobs that were not stored together are tried alone: one of them may have prevented the others, and each gets its own error.
    return Promise.allSettled(
      admitted.map(async (each) => {
        if (each.status === 'rejected') throw each.reason;
        if (!isNew(each.value)) return each.value;
        return stored.has(each.value) ? each.value.job : this.insert(each.value);
      }),
    );
  }

  /** Takes the job's place. @returns the job, where there is no place because it was made already. @throws AppError too_many_jobs */
  private async admit({ accountId, jobId, limits, source }: NewJob): Promise<Job | undefined> {
    try {
      // A live session has limits of its own, in the gateway: no queue of files keeps it from being held.
      await this.admission.take(accountId, jobId, { limit: source.kind === 'live' ? Infinity : limits?.jobsInFlight });
      return undefined;
    } catch (error) {
      const made = await this.jobs.get(jobId);
      if (made?.accountId === accountId) return made;
      throw error;
    }
  }

  private async insert(created: CreatedJob): Promise<Job> {
    const { id: jobId, accountId } = created.job;
    if (await this.jobs.insertIfAbsent(created)) return created.job;
    const made = await this.jobs.get(jobId);
    await this.admission.settle(accountId, jobId, made?.accountId === accountId ? made : undefined);
    return ownedBy(accountId, made);
  }

  /** Checks that one more job could be made now; no place is taken. @throws AppError too_many_jobs */
  async requireRoom(accountId: string, limits?: JobLimits): Promise<void> {
    await this.admission.requireRoom(accountId, limits?.jobsInFlight);
  }

  /** @throws AppError not_found */
  async get(accountId: string, jobId: string): Promise<Job> {
    return ownedBy(accountId, await this.jobs.get(jobId));
  }

  /** @throws AppError not_found, media_gone */
  async requireMedia(accountId: string, jobId: string): Promise<Job> {
    const job = await this.get(accountId, jobId);
    if (job.mediaRemovedAt !== undefined) throw new AppError({ code: 'media_gone', message: 'The media of the job was removed.' });
    return job;
  }

  /** Newest first, or oldest first. @throws AppError invalid_cursor */
  list(accountId: string, filter: JobFilter): Promise<JobPage> {
    return listJobs(this.jobs, accountId, filter);
  }

  /** @param ifMatch revisions of which the job must have one; empty: any. @throws AppError not_found, precondition_failed */
  async update(accountId: string, jobId: string, changes: JobChanges, ifMatch: readonly string[]): Promise<Job> {
    await this.get(accountId, jobId);
    return ownedBy(accountId, await this.jobs.apply(jobId, { type: 'update', ifMatch, changes }));
  }

  /** @returns the job, and the stages that the order started. @throws AppError not_found, invalid_state unless the job is completed and all of its stages have ended */
  async orderAddOns(accountId: string, jobId: string, order: AddOnOrder): Promise<{ job: Job; ordered: AddOn[] }> {
    const before = await this.get(accountId, jobId);
    const job = ownedBy(accountId, await this.jobs.apply(jobId, { type: 'order_add_ons', ...order }));
    const isOrdered = (stage: AddOn): boolean => order[stage as keyof AddOnOrder] !== undefined && order[stage as keyof AddOnOrder] !== false;
    return { job, ordered: ADD_ONS.filter((stage) => job.run > before.run && isOrdered(stage) && isOpenStage(job.stages[stage])) };
  }

  /** A job that was canceled is given as it is. @throws AppError not_found, invalid_state when it has ended otherwise */
  async cancel(accountId: string, jobId: string): Promise<Job> {
    await this.liveAudio.note(await this.get(accountId, jobId));
    return ownedBy(accountId, await this.jobs.apply(jobId, { type: 'cancel' }));
  }

  /** Cancels all jobs of the account that have not ended. */
  async cancelAll(accountId: string): Promise<void> {
    for (const status of ['queued', 'processing'] as const) {
      for await (const { id } of this.jobs.all({ where: { accountId, status } })) await this.jobs.apply(id, { type: 'cancel' }).catch(unlessEnded);
    }
  }

  /** Nothing erases the job while it is held. @throws AppError not_found; legal_hold when its hold is an operator's, and this one is not */
  async hold(accountId: string, jobId: string, hold: NewHold): Promise<void> {
    await this.get(accountId, jobId);
    ownedBy(accountId, await this.jobs.apply(jobId, { type: 'hold', hold }));
  }

  /** Nothing to lift is no error. @throws AppError not_found; legal_hold when it is an operator's, and the caller is none */
  async liftHold(accountId: string, jobId: string, byOperator: boolean): Promise<void> {
    await this.get(accountId, jobId);
    ownedBy(accountId, await this.jobs.apply(jobId, { type: 'lift_hold', byOperator }));
  }

  /** Retries a failed job, or the failed add-on stages of a completed one. @throws AppError not_found, invalid_state, too_many_jobs */
  async retry(accountId: string, jobId: string, limits?: JobLimits, force = false): Promise<Job> {
    const { status } = await this.get(accountId, jobId);
    if (status === 'failed') await this.admission.take(accountId, jobId, { limit: limits?.jobsInFlight, again: true });
    try {
      return ownedBy(accountId, await this.jobs.apply(jobId, { type: 'retry', force, ...(limits && { limits: limits.media }) }));
    } catch (error) {
      await this.admission.settle(accountId, jobId, await this.jobs.get(jobId));
      throw error;
    }
  }

  /** Idempotent: of a job that was deleted, the erasure is the same. @returns the erasure's id. @throws AppError not_found, legal_hold */
  async delete(accountId: string, jobId: string): Promise<string> {
    const job = await this.jobs.get(jobId);
    const erasureId = erasureIdOf(jobId);
    if (job) await this.eraseNow(ownedBy(accountId, job));
    else if (!(await this.erasures.has(accountId, erasureId))) throw notFound('The job');
    return erasureId;
  }

  /**
   * The receipt is opened first: a service that receives the deletion can report to it.
   * @param isDue why it is erased without its caller, which a retry may have changed since the job was read
   * @returns whether the job was still there, and due. @throws AppError legal_hold
   */
  async erase(job: Job, isDue?: (job: Job) => boolean): Promise<boolean> {
    await this.requireNoHold(job);
    await this.liveAudio.note(job);
    await this.erasures.open(erasureIdOf(job.id), job);
    // A hold may have been set since the job was read.
    return this.jobs.delete(job.id, (current) => !isHolding(current.hold, this.now()) && (isDue?.(current) ?? true));
  }

  /** True while the job, or its account, is under a legal hold. */
  async isHeld({ hold, accountId }: Job): Promise<boolean> {
    return isHolding(hold, this.now()) || (await this.holds.of(accountId)) !== undefined;
  }

  private async eraseNow(job: Job): Promise<void> {
    const isErased = await this.erase(job);
    if (!isErased && (await this.jobs.get(job.id))) throw underLegalHold('The job');
  }

  private async requireNoHold(job: Job): Promise<void> {
    if (await this.isHeld(job)) throw underLegalHold('The job');
  }

  /** Erases a job that was kept only for its webhook. Where this event is lost, the upkeep erases the job days later. */
  async webhookSettled(settled: events.WebhookSettled): Promise<void> {
    const isDue = (current: Job) => isKeptForItsWebhook(current, settled);
    const job = await this.jobs.get(settled.jobId);
    if (job && isDue(job) && !(await this.isHeld(job))) await this.erase(job, isDue);
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}

const unlessEnded = (error: unknown): void => {
  if (toAppError(error).code !== 'invalid_state') throw error;
};

const isNew = (made: CreatedJob | Job): made is CreatedJob => 'job' in made;

function ownedBy(accountId: string, job: Job | undefined): Job {
  if (job?.accountId !== accountId) throw notFound('The job');
  return job;
}

/**
 * True when the job is kept only for the webhook that was settled: with `retention_hours: 0` it is to be erased then.
 * A job completes once; one that failed may have been tried again, and what is settled may be an earlier end of it.
 */
export function isKeptForItsWebhook(job: Job, { status, sequence }: events.WebhookSettled): boolean {
  if (job.options.retentionHours !== 0 || !isTerminal(job.status) || status !== statusMessage(job.status)) return false;
  return job.status === 'completed' || sequence === job.sequence;
}
