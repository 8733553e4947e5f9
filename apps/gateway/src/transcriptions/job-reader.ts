import { Inject, Injectable } from '@nestjs/common';
import type { ingest, JobService, transcription, TranscriptService } from '@parlance/contracts';
import { TimeSlices, toAppError } from '@parlance/platform';
import { JOB_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { requireInProject } from '../keys/project-boundary.js';
import type { IsAwaited } from './job-news.js';
import { JobWatcher } from './job-watcher.js';
import { isOver } from './job-json.js';

export interface JobRef {
  accountId: string;
  jobId: string;
  /** The project that the job must belong to; undefined: any. */
  projectId?: string | undefined;
}

/** Milliseconds between reads without a wake-up: the bus reports changes, and this covers lost reports. */
export const SAFETY_POLL_MS = 5000;

/** Jobs and transcripts as the services that own them give them. */
@Injectable()
export class JobReader {
  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: JobService,
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
    @Inject(JobWatcher) private readonly watcher: JobWatcher,
  ) {}

  /** @throws AppError not_found */
  async get({ accountId, jobId, projectId }: JobRef): Promise<ingest.Job> {
    const { job } = await this.jobs.getJob({ accountId, jobId });
    return requireInProject({ projectId }, job, 'The transcription');
  }

  /** The job once it is as awaited or nothing more of it is to come, or as it is after `waitMs`. @throws AppError not_found */
  getWhen(ref: JobRef, isAwaited: IsAwaited, waitMs: number, signal: AbortSignal): Promise<ingest.Job> {
    return this.readWhen({ jobId: ref.jobId, read: () => this.get(ref), isAwaited: (job, first) => isAwaited(job, first) || isOver(job) }, waitMs, signal);
  }

  /** Something of a job, read again after each change of the job until it is as awaited, or as it is after `waitMs`. */
  async readWhen<T>({ jobId, read, isAwaited }: AwaitedRead<T>, waitMs: number, signal: AbortSignal): Promise<T> {
    const watch = this.watcher.watch(jobId);
    const end = performance.now() + waitMs;
    try {
      const first = await read();
      let present = first;
      while (!isAwaited(present, first) && !signal.aborted) {
        const left = end - performance.now();
        if (left <= 0) break;
        await watch.next(Math.min(left, SAFETY_POLL_MS), signal);
        present = await read();
      }
      return present;
    } finally {
      watch.close();
    }
  }

  /** The first page, with the header, and the others; undefined when there is no transcript yet. */
  async transcript(ref: JobRef, includeWords: boolean, signal: AbortSignal): Promise<TranscriptPages | undefined> {
    const request = { ...ref, includeWords };
    const pages = inTurn(this.transcripts.getTranscript(request, { signal }));
    try {
      const { value: first, done } = await pages.next();
      return done ? undefined : { first, rest: pages };
    } catch (error) {
      if (toAppError(error).kind === 'not_found') return undefined;
      throw error;
    }
  }
}

/** The parts; the work on each has its turn before the next one. */
async function* inTurn<T>(parts: AsyncIterable<T>): AsyncGenerator<T> {
  const slices = new TimeSlices();
  for await (const part of parts) {
    await slices.next();
    yield part;
  }
}

interface AwaitedRead<T> {
  jobId: string;
  read: () => Promise<T>;
  /** @param first as it was at the call */
  isAwaited: (present: T, first: T) => boolean;
}

interface TranscriptPages {
  first: transcription.GetTranscriptResponse;
  rest: AsyncGenerator<transcription.GetTranscriptResponse>;
}
