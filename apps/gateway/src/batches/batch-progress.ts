import { Inject, Injectable } from '@nestjs/common';
import { common, type events, JOB_STATUS } from '@parlance/contracts';
import { namesByMessage } from '../transcriptions/job-names.js';
import { BatchRecords } from './batch-records.js';
import { BatchWorker } from './batch-worker.js';
import { inState, type BatchItem } from './batch.js';

const statusName = namesByMessage(JOB_STATUS);

/** Keeps the items of batches in step with their jobs. An event that comes again, or late, changes nothing. */
@Injectable()
export class BatchProgress {
  constructor(
    @Inject(BatchRecords) private readonly records: BatchRecords,
    @Inject(BatchWorker) private readonly worker: Pick<BatchWorker, 'wake'>,
  ) {}

  async jobChanged(event: events.JobEvent): Promise<void> {
    if (event.batchId === undefined) return;
    const item = await this.records.itemOfJob(event.jobId);
    if (!item) return;
    const isChanged = await this.records.change(item.id, (current) => after(current, event));
    // Also for an event that comes again: the process may have been killed after the change.
    if (isChanged || !item.open) await this.records.settle(item.batchId);
    if (item.state === 'canceled' || (!isChanged && item.open && (await this.isCanceled(item)))) await this.worker.wake({ id: item.batchId, accountId: item.accountId });
  }

  private async isCanceled({ batchId }: BatchItem): Promise<boolean> {
    return (await this.records.find(batchId))?.canceledAt !== undefined;
  }

  /** A retry is reported as progress of a queued job; other reports of progress change no item. */
  async jobProgressed(event: events.JobEvent): Promise<void> {
    if (event.status === common.JobStatus.JOB_STATUS_QUEUED) await this.jobChanged(event);
  }
}

function after(item: BatchItem, { status, version, error }: events.JobEvent): BatchItem | undefined {
  const state = statusName(status);
  if (state === undefined || item.state === 'deleted' || version <= item.jobVersion) return undefined;
  const { code, message, retryable } = error ?? {};
  const failure = state === 'failed' && code !== undefined ? { error: { code, message: message ?? '', retryable: retryable ?? false } } : {};
  return inState(item, state, { hasJob: true, jobVersion: version, ...failure });
}
