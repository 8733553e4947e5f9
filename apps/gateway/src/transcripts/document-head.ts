import { type ingest, STAGE, STAGE_STATUS, summary, type SummaryService, type transcription } from '@parlance/contracts';
import { toAppError, type Logger } from '@parlance/platform';
import type { JobRef } from '../transcriptions/job-reader.js';
import { chapterSection, summarySections } from './summary-sections.js';

type DocumentHead = Pick<transcription.RenderTranscriptRequest, 'title' | 'createdAt' | 'sections'>;

/** A document does not wait for a summary that does not come. */
const SUMMARY_TIMEOUT_MS = 5000;

/** The part of a document before the transcript: its title, and its summary and chapters when there are any. */
export async function documentHead(job: ingest.Job, ref: JobRef, summaries: SummaryService, signal: AbortSignal, log: Logger): Promise<DocumentHead> {
  const sections = await Promise.all([sectionsOf(ref, summaries, signal, log), hasChapters(job) ? chaptersOf(ref, summaries, signal, log) : []]);
  return { title: titleOf(job), createdAt: dateOf(job), sections: sections.flat() };
}

/** Without the summary, which is in another language. */
export const translatedHead = (job: ingest.Job): DocumentHead => ({ title: titleOf(job), createdAt: dateOf(job), sections: [] });

/** When the recording was made, if that is known. */
const dateOf = ({ recordedAt, createdAt }: ingest.Job): Date | undefined => recordedAt ?? createdAt;

/** As its owner calls it (`title`, or else `metadata.title`), or else the name of its file, or its id. */
export function titleOf(job: ingest.Job): string {
  const { jobId, audioUrl, fileName } = job;
  return givenTitle(job) ?? (fileName || lastSegmentOf(audioUrl) || jobId);
}

/** The title that its owner gave the job; undefined without one. */
export const givenTitle = ({ title, options }: ingest.Job): string | undefined => (title ?? options?.metadata.title)?.trim() || undefined;

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
async function sectionsOf(ref: JobRef, summaries: SummaryService, signal: AbortSignal, log: Logger): Promise<transcription.DocumentSection[]> {
  const answer = await summaries.getSummary({ ...ref, summaryId: undefined }, { signal, timeoutMs: SUMMARY_TIMEOUT_MS }).catch((error: unknown) => without('summary', error, ref, log));
  const found = answer?.summary;
  return found?.status === summary.WorkStatus.WORK_STATUS_COMPLETED ? summarySections(found) : [];
}

const hasChapters = ({ stages }: ingest.Job): boolean => stages.some(({ stage, status }) => stage === STAGE.chapters && status === STAGE_STATUS.completed);

async function chaptersOf(ref: JobRef, summaries: SummaryService, signal: AbortSignal, log: Logger): Promise<transcription.DocumentSection[]> {
  const answer = await summaries.getChapters(ref, { signal, timeoutMs: SUMMARY_TIMEOUT_MS }).catch((error: unknown) => without('chapters', error, ref, log));
  const found = answer?.chapters;
  return found?.status === summary.WorkStatus.WORK_STATUS_COMPLETED ? [chapterSection(found)] : [];
}

/** Logs why a document is without a part that may be there. */
function without(what: string, error: unknown, ref: JobRef, log: Logger): undefined {
  // The part was not requested, or is not ready.
  if (toAppError(error).kind !== 'not_found') log.warn({ job_id: ref.jobId, account_id: ref.accountId, err: error }, `document rendered without its ${what}`);
}
