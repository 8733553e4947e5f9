import type { events } from '@parlance/contracts';
import { statusMessage } from '../state/job-events.js';
import { isTerminal, type Job } from '../state/job.js';

/**
 * True when the job is kept only for the webhook that was settled: with `retention_hours: 0` it is to be erased then.
 * A job completes once; one that failed may have been tried again, and what is settled may be an earlier end of it.
 */
export function isKeptForItsWebhook(job: Job, { status, sequence }: events.WebhookSettled): boolean {
  if (job.options.retentionHours !== 0 || !isTerminal(job.status) || status !== statusMessage(job.status)) return false;
  return job.status === 'completed' || sequence === job.sequence;
}
