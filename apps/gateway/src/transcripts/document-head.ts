import { summary, type ingest, type transcription } from '@parlance/contracts';
import { callUnary, toAppError, type CallContext, type Logger } from '@parlance/platform';
import type { JobRef } from '../transcriptions/job-reader.js';
import { summarySections } from './summary-sections.js';

type DocumentHead = Pick<transcription.RenderTranscriptRequest, 'title' | 'createdAt' | 'sections'>;

/** A document does not wait for a summary that does not come. */
const SUMMARY_TIMEOUT_MS = 5000;

/** What stands before the transcript in a document to read: what it is of, and its summary when there is one. */
export async function documentHead(job: ingest.Job, ref: JobRef, client: summary.SummaryServiceClient, call: CallContext, log: Logger): Promise<DocumentHead> {
  return { title: titleOf(job), createdAt: job.createdAt, sections: await sectionsOf(ref, client, call, log) };
}

/** As its owner calls it (`metadata.title`), or else the name of its file, or its id. */
export function titleOf({ jobId, audioUrl, fileName, options }: ingest.Job): string {
  return options?.metadata.title?.trim() || fileName || lastSegmentOf(audioUrl) || jobId;
}

function lastSegmentOf(audioUrl: string | undefined): string | undefined {
  const path = URL.parse(audioUrl ?? '')?.pathname ?? '';
  const name = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** An add-on that fails never costs the transcript. */
async function sectionsOf(ref: JobRef, client: summary.SummaryServiceClient, call: CallContext, log: Logger): Promise<transcription.DocumentSection[]> {
  const context = { ...call, timeoutMs: SUMMARY_TIMEOUT_MS };
  const answer = await callUnary(client, client.getSummary, { ...ref, summaryId: undefined }, context).catch((error: unknown) => {
    // Nobody asked for one, or it is not there yet.
    if (toAppError(error).kind !== 'not_found') log.warn({ job_id: ref.jobId, account_id: ref.accountId, err: error }, 'document without its summary');
    return undefined;
  });
  const found = answer?.summary;
  return found?.status === summary.WorkStatus.WORK_STATUS_COMPLETED ? summarySections(found) : [];
}
