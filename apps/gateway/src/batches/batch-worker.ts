import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { JobService } from '@parlance/contracts';
import { isWaitedFor, settleAll, toAppError, type Clock } from '@parlance/platform';
import { CLOCK, JOB_SERVICE, TASK_QUEUE } from '@parlance/runtime';
import type { Task, TaskContext, TaskQueue, TaskWorker } from '@parlance/task-queue';
import { isUncertain } from '../idempotency/idempotency.js';
import { Admission } from '../transcriptions/admission.js';
import { Creation, type CreationRequest } from '../transcriptions/creation.js';
import { StoredUploadCreation } from '../transcriptions/stored-upload-creation.js';
import { inState, withoutJob, type Batch, type BatchItem } from './batch.js';
import { itemError } from './batch-intake.js';
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
    @Inject(Creation) private readonly creation: Creation,
    @Inject(StoredUploadCreation) private readonly uploadCreation: StoredUploadCreation,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'cancelJob'>,
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

  private async perform({ id, attempt }: Task, { signal, draining, maxAttempts }: TaskContext): Promise<{ again: Date } | void> {
    const until = performance.now() + TURN_MS;
    for (;;) {
      const batch = await this.records.find(id);
      if (!batch) return undefined;
      if (batch.canceledAt !== undefined) return this.cancelItems(batch, signal);
      const items = await this.records.pending(id);
      if (items.length === 0) return this.records.settle(id);
      let full: Date | undefined;
      await settleAll(items.map(async (item) => (full = (await this.create(batch, item, attempt >= maxAttempts)) ?? full)));
      if (full) return { again: full };
      draining.throwIfAborted();
      if (performance.now() > until) return { again: this.clock.now() };
    }
  }

  /**
   * @param isLastTry an item that fails without an outage is refused then, so that it does not cost the others
   * @returns when to try again, where the account has no room for a further job now
   */
  private async create(batch: Batch, item: BatchItem, isLastTry: boolean): Promise<Date | undefined> {
    try {
      await this.createJob(batch, item);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'too_many_jobs') return new Date(this.clock.now().getTime() + ROOM_AGAIN_MS);
      if (isWaitedFor(thrown) || (!isLastTry && (isUncertain(thrown) || error.retryable))) throw thrown;
      await this.refuse(item, thrown);
      return undefined;
    }
    await this.queued(item);
    return undefined;
  }

  private async createJob({ id: batchId, keyId, credentialId }: Batch, { accountId, jobId, request }: BatchItem): Promise<void> {
    if (!request) return;
    const { source, options } = request;
    const creation: CreationRequest = { accountId, keyId, credentialId, idempotencyKey: undefined, requestId: batchId, batchId };
    if ('uploadIds' in source) return this.createOfUploads(creation, jobId, source.uploadIds, options);
    await this.admission.admitUrl(accountId);
    await this.creation.withoutFile(creation, jobId, { source: { $case: 'audioUrl', value: source.audioUrl }, options, sealedAudioHeaders: source.sealedHeaders });
  }

  private async createOfUploads(creation: CreationRequest, jobId: string, uploadIds: readonly string[], options: NonNullable<BatchItem['request']>['options']): Promise<void> {
    const { accountId } = creation;
    // Its copy of the file belongs to the job then.
    if (await this.creation.made(accountId, jobId)) return;
    await this.admission.admitUpload(accountId);
    await this.uploadCreation.create(creation, { accountId, jobId, token: randomUUID() }, uploadIds, options);
  }

  private async queued({ id }: BatchItem): Promise<void> {
    await this.records.change(id, (item) => (item.state === 'pending' ? inState(item, 'queued', { hasJob: true }) : undefined));
  }

  /** Unless a try that was killed has created the job. */
  private async refuse(item: BatchItem, thrown: unknown): Promise<void> {
    const error = toAppError(thrown);
    if (await this.creation.made(item.accountId, item.jobId)) return this.queued(item);
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
  private async cancelItem({ id, accountId, jobId }: BatchItem): Promise<void> {
    try {
      await this.jobs.cancelJob({ accountId, jobId });
    } catch (error) {
      const { kind } = toAppError(error);
      if (kind === 'not_found') await this.records.change(id, (item) => (item.state === 'pending' ? inState(item, 'canceled') : undefined));
      else if (kind !== 'conflict') throw error;
    }
  }

  /** Pending items get the error of the last try. */
  private async giveUp({ id }: Task, error: unknown): Promise<'settled'> {
    for (;;) {
      const items = await this.records.pending(id);
      if (items.length === 0) break;
      for (const item of items) await this.refuse(item, error);
    }
    await this.records.settle(id);
    return 'settled';
  }
}
