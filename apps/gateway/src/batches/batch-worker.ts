import { Inject, Injectable } from '@nestjs/common';
import { isWaitedFor, retryDelay, settleAll, toAppError, type Clock } from '@parlance/platform';
import { CLOCK, TASK_QUEUE } from '@parlance/runtime';
import type { Again, Task, TaskContext, TaskQueue, TaskWorker } from '@parlance/task-queue';
import { isUncertain } from '../idempotency/idempotency.js';
import { Authenticator } from '../keys/authenticator.js';
import { StorageQuota } from '../uploads/storage-quota.js';
import { inState, withoutJob, type Batch, type BatchItem } from './batch.js';
import { itemError } from './batch-intake.js';
import { BatchJobs } from './batch-jobs.js';
import { BatchRecords } from './batch-records.js';

const BATCH_QUEUE = 'batches';

const RETRY = { maxAttempts: 8, initialDelayMs: 500, maxDelayMs: 30_000 };
/** Milliseconds until a batch whose account has no room for a further job asks again. */
const ROOM_AGAIN_MS = 2000;
/** Milliseconds that a batch works before other batches have a turn. */
const TURN_MS = 60_000;
const DEADLINE_MS = 15 * 60_000;
const PLACES = 8;

/** Creates the jobs of batches, and cancels them. Killed at any point, it continues with what is still pending, under the same job ids. */
@Injectable()
export class BatchWorker {
  constructor(
    @Inject(BatchRecords) private readonly records: BatchRecords,
    @Inject(BatchJobs) private readonly jobs: BatchJobs,
    @Inject(Authenticator) private readonly authenticator: Pick<Authenticator, 'refusalOf'>,
    @Inject(StorageQuota) private readonly storage: Pick<StorageQuota, 'isHeld'>,
    @Inject(TASK_QUEUE) private readonly tasks: Pick<TaskQueue, 'wake'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Resolves once the work is durable. */
  async wake({ id, accountId }: Pick<Batch, 'id' | 'accountId'>): Promise<void> {
    await this.tasks.wake(BATCH_QUEUE, [{ id, accountId, payload: null }]);
  }

  worker(): TaskWorker {
    return {
      queue: BATCH_QUEUE,
      capacity: PLACES,
      deadlineMs: DEADLINE_MS,
      retry: RETRY,
      maxTakeOvers: Infinity,
      perform: (task, context) => this.perform(task, context),
      giveUp: (task, error) => this.giveUp(task, error),
    };
  }

  /** Wakes what a killed process has left: a batch that was stored and not begun, a cancellation, an end that was not noticed. */
  async sweep(): Promise<void> {
    for await (const batch of this.records.processing()) {
      if (batch.canceledAt !== undefined || (await this.records.hasPending(batch.id))) await this.wake(batch);
      else await this.records.settle(batch.id);
    }
  }

  private async perform({ id }: Task, { signal, draining }: TaskContext): Promise<Again | void> {
    const until = performance.now() + TURN_MS;
    for (let hasProgressed = false; ; hasProgressed = true) {
      const batch = await this.records.find(id);
      if (!batch) return undefined;
      if (batch.canceledAt !== undefined) return this.cancelItems(batch, signal);
      const items = await this.records.pending(id);
      if (items.length === 0) return this.end(id);
      const refusal = await this.authenticator.refusalOf(batch.credentialId);
      const waits = refusal ? await this.refuseAll(items, refusal) : await this.createAll(batch, items, signal);
      if (waits.length > 0) return { again: earliest(waits), hasProgressed: hasProgressed || waits.length < items.length };
      draining.throwIfAborted();
      if (performance.now() > until) return { again: this.clock.now(), hasProgressed: true };
    }
  }

  private async end(id: string): Promise<void> {
    await this.records.dropDefaults(id);
    await this.records.settle(id);
  }

  private async refuseAll(items: readonly BatchItem[], error: unknown): Promise<[]> {
    await settleAll(items.map((item) => this.refuse(item, error)));
    return [];
  }

  /** @returns one time for each item that has to be tried again */
  private async createAll(batch: Batch, items: readonly BatchItem[], signal: AbortSignal): Promise<Date[]> {
    const waits: Date[] = [];
    const create = async (item: BatchItem) => {
      const again = await this.create(batch, item);
      if (again) waits.push(again.at);
      return again;
    };
    await settleAll(items.filter((item) => !isOfUploads(item)).map(create));
    // One after another: each copies files before it is known whether the account has room for its job.
    let full: Date | undefined;
    for (const item of items.filter(isOfUploads)) {
      signal.throwIfAborted();
      if (full) waits.push(full);
      else if ((await create(item))?.isFull) full = waits.at(-1);
    }
    return waits;
  }

  /** @returns when to try again, and whether the account has no room for a further job now; undefined once the item is not pending any more */
  private async create(batch: Batch, item: BatchItem): Promise<{ at: Date; isFull: boolean } | undefined> {
    const isHeld = this.storage.isHeld(item.accountId);
    try {
      await this.jobs.create(batch, item);
    } catch (thrown) {
      const error = toAppError(thrown);
      // Uploads on their way hold storage that they may not use.
      const isFull = error.code === 'too_many_jobs' || (error.code === 'storage_quota_exhausted' && (isHeld || this.storage.isHeld(item.accountId)));
      if (isFull) return { at: this.inMs(ROOM_AGAIN_MS), isFull };
      if (isWaitedFor(thrown)) throw thrown;
      if (isUncertain(thrown) || error.retryable) return this.countTry(item, thrown);
      await this.refuse(item, thrown);
      return undefined;
    }
    await this.queued(item);
    return undefined;
  }

  /** Each item has tries of its own, so that one that fails does not cost the others. */
  private async countTry(item: BatchItem, thrown: unknown): Promise<{ at: Date; isFull: false } | undefined> {
    const tries = (item.tries ?? 0) + 1;
    if (tries >= RETRY.maxAttempts) return void (await this.refuse(item, thrown));
    await this.records.change(item.id, (current) => (current.state === 'pending' ? { ...current, tries } : undefined));
    return { at: this.inMs(retryDelay(tries, RETRY, Math.random())), isFull: false };
  }

  private inMs(ms: number): Date {
    return new Date(this.clock.now().getTime() + ms);
  }

  private async queued({ id }: BatchItem): Promise<void> {
    await this.records.change(id, (item) => (item.state === 'pending' ? inState(item, 'queued', { hasJob: true }) : undefined));
  }

  /** Unless a try that was killed has created the job. */
  private async refuse(item: BatchItem, thrown: unknown): Promise<void> {
    const error = toAppError(thrown);
    if (await this.jobs.has(item)) return this.queued(item);
    const change = (current: BatchItem) => (error.kind === 'not_found' ? withoutJob(current) : inState(current, 'refused', { error: itemError(error) }));
    await this.records.change(item.id, (current) => (current.state === 'pending' ? change(current) : undefined));
  }

  private async cancelItems({ id }: Batch, signal: AbortSignal): Promise<void> {
    for await (const items of this.records.open(id)) {
      signal.throwIfAborted();
      await settleAll(items.map((item) => this.cancelItem(item)));
    }
    await this.records.settle(id);
  }

  /** A pending item may have a job, of a try that was killed. Events report the cancellation of a job. */
  private async cancelItem(item: BatchItem): Promise<void> {
    if (await this.jobs.cancel(item)) return;
    await this.records.change(item.id, (current) => (current.state === 'pending' ? inState(current, 'canceled') : undefined));
  }

  /** Pending items get the error of the last try. */
  private async giveUp({ id }: Task, error: unknown): Promise<'settled'> {
    for (;;) {
      const items = await this.records.pending(id);
      if (items.length === 0) break;
      await this.refuseAll(items, error);
    }
    await this.end(id);
    return 'settled';
  }
}

const isOfUploads = ({ request }: BatchItem): boolean => request !== undefined && 'uploadIds' in request.source;

const earliest = (times: readonly Date[]): Date => new Date(Math.min(...times.map(Number)));
