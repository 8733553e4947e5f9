import type { ingest } from '@parlance/contracts';
import { toAppError, type Logger } from '@parlance/platform';
import type { Job } from '../jobs/job.js';

/** How the making of one job of several ended; never throws. What is unexpected is logged with its cause, as for a call of its own. */
export async function outcomeOf(making: () => Promise<Job>, log: Logger): Promise<ingest.JobOutcome> {
  try {
    const { id: jobId, createdAt } = await making();
    return { outcome: { $case: 'created', value: { jobId, createdAt: new Date(createdAt) } } };
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.kind === 'internal') log.error({ err: error.cause ?? error }, 'making a job failed');
    const { kind, code, message, retryable, retryAfter } = error;
    return { outcome: { $case: 'error', value: { kind, code, message, retryable, retryAfter } } };
  }
}
