import { summary, summaryContentJson } from '@parlance/contracts';
import { present } from '../http/schema.js';
import { failureJson, timeText } from '../transcriptions/job-json.js';
import type { SummaryJson } from './summary-schema.js';

const { WorkStatus } = summary;

const STATUS: Partial<Record<summary.WorkStatus, SummaryJson['status']>> = {
  [WorkStatus.WORK_STATUS_PENDING]: 'pending',
  [WorkStatus.WORK_STATUS_RUNNING]: 'running',
  [WorkStatus.WORK_STATUS_COMPLETED]: 'completed',
  [WorkStatus.WORK_STATUS_FAILED]: 'failed',
  [WorkStatus.WORK_STATUS_SKIPPED]: 'skipped',
};

export const statusOfWork = (status: summary.WorkStatus): SummaryJson['status'] => STATUS[status] ?? 'pending';

/** Until it is completed, only what is asked and how far it is. */
export function summaryJson(message: summary.Summary): SummaryJson {
  const status = statusOfWork(message.status);
  const described = {
    summary_id: message.summaryId,
    job_id: message.jobId,
    status,
    default: message.isDefault,
    created_at: timeText(message.createdAt) ?? '',
    completed_at: timeText(message.completedAt),
    error: message.error && failureJson(message.error),
    format: message.format as SummaryJson['format'],
  };
  if (status !== 'completed') return present(described);
  return present({
    ...described,
    ...summaryContentJson(message),
  });
}
