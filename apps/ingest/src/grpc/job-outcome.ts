import type { ingest } from '@parlance/contracts';
import { toAppError, type Logger } from '@parlance/platform';
import type { Job } from '../jobs/state/job.js';

/** Returns the outcome of one job of several. An unexpected error is logged with its cause, as for a single call. */
export function outcomeOf(made: PromiseSettledResult<Job>, log: Logger): ingest.JobOutcome {
  if (made.status === 'fulfilled') {
    const { id: jobId, createdAt } = made.value;
    return { outcome: { $case: 'created', value: { jobId, createdAt: new Date(createdAt) } } };
  }
  const error = toAppError(made.reason);
  if (error.kind === 'internal') log.error({ err: error.cause ?? error }, 'making a job failed');
  const { kind, code, message, retryable, retryAfter } = error;
  return { outcome: { $case: 'error', value: { kind, code, message, retryable, retryAfter } } };
}
