import { redactUrl } from '@parlance/platform';
import { present } from '../http/schema.js';
import type { StateCounts } from './batch-records.js';
import type { BatchItemJson, BatchJson } from './batch-schema.js';
import type { Batch, BatchItem } from './batch.js';

export function batchJson(batch: Batch, counts: StateCounts): BatchJson {
  const { id, total, callbackUrl, createdAt, canceledAt, completedAt } = batch;
  const ended = total - counts.pending - counts.queued - counts.processing;
  return present({
    batch_id: id,
    status: statusOf(batch),
    counts: { total, ...counts },
    percent: Math.round((ended / total) * 1000) / 10,
    callback_url: callbackUrl === undefined ? undefined : redactUrl(callbackUrl),
    created_at: createdAt,
    canceled_at: canceledAt,
    completed_at: completedAt,
  });
}

function statusOf({ state, canceledAt }: Batch): BatchJson['status'] {
  if (state === 'completed') return canceledAt === undefined ? 'completed' : 'canceled';
  return canceledAt === undefined ? 'processing' : 'canceling';
}

export const itemJson = ({ index, customId, state, jobId, hasJob, error }: BatchItem): BatchItemJson =>
  present({ index, custom_id: customId, status: state, job_id: hasJob ? jobId : undefined, error: error && errorJson(error) });

const errorJson = ({ code, message, retryable, fields }: NonNullable<BatchItem['error']>) => present({ code, message, retryable, errors: fields });
