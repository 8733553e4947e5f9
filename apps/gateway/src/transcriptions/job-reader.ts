import type { ingest, transcription } from '@parlance/contracts';
import { callStream, callUnary, freshnessOf, notFound, toAppError, withFreshness, type CallContext } from '@parlance/platform';
import type { JobWatcher } from '../events/job-watcher.js';
import { isOver } from './job-json.js';

export interface JobRef {
  accountId: string;
  jobId: string;
}

/** Milliseconds between looks when no news comes: the bus tells of changes, this is the net below it. */
export const SAFETY_POLL_MS = 5000;

/** Jobs and transcripts as the services that own them give them. */
export class JobReader {
  constructor(
    private readonly jobs: ingest.JobServiceClient,
    private readonly transcripts: transcription.TranscriptServiceClient,
    private readonly watcher: JobWatcher,
  ) {}

  /** With its freshness where that can be known. @throws AppError not_found */
  async get({ accountId, jobId }: JobRef, call: CallContext): Promise<ingest.Job> {
    const answer = await callUnary(this.jobs, this.jobs.getJob, { accountId, jobId }, call);
    if (!answer.job) throw notFound('The transcription');
    return withFreshness(answer.job, freshnessOf(answer));
  }

  /** The job once its status is another than at the call or nothing of it is to come, or as it is after `waitMs`. @throws AppError not_found */
  async getChanged(ref: JobRef, waitMs: number, signal: AbortSignal, call: CallContext): Promise<ingest.Job> {
    const watch = this.watcher.watch(ref.jobId);
    const end = performance.now() + waitMs;
    try {
      const first = await this.get(ref, call);
      let job = first;
      while (job.status === first.status && !isOver(job) && !signal.aborted) {
        const left = end - performance.now();
        if (left <= 0) break;
        await watch.next(Math.min(left, SAFETY_POLL_MS), signal);
        job = await this.get(ref, call);
      }
      return job;
    } finally {
      watch.close();
    }
  }

  /** The first page, with the header, and the others; undefined when there is no transcript yet. */
  async transcript(ref: JobRef, includeWords: boolean, call: CallContext): Promise<TranscriptPages | undefined> {
    const request = { ...ref, includeWords };
    const pages = callStream<transcription.GetTranscriptRequest, transcription.GetTranscriptResponse>(
      this.transcripts,
      this.transcripts.getTranscript,
      request,
      call,
    );
    try {
      const { value: first, done } = await pages.next();
      return done ? undefined : { first, rest: pages };
    } catch (error) {
      if (toAppError(error).kind === 'not_found') return undefined;
      throw error;
    }
  }
}

export interface TranscriptPages {
  first: transcription.GetTranscriptResponse;
  rest: AsyncGenerator<transcription.GetTranscriptResponse>;
}
