import type { ingest, SummaryService } from '@parlance/contracts';
import { hasTranscript } from '../transcriptions/job-json.js';

/** True while a summary that was requested later is to be written. False while the summary service is away: a stream of a job ends without it. */
export async function hasOpenSummaries(summaries: SummaryService, job: ingest.Job): Promise<boolean> {
  if (!hasTranscript(job)) return false;
  const { jobId, accountId } = job;
  return summaries.countOpenSummaries({ jobId, accountId }).then(
    ({ count }) => count > 0,
    () => false,
  );
}
