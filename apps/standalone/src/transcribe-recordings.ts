import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { contentKey, RefusedRequest, type ApiClient, type Job } from './api-client.js';
import type { ProgressView } from './progress-view.js';
import { displayNames, isAddress, problemOf, unreadable } from './recording-source.js';

export interface Recording {
  /** A path, or an http(s) URL. */
  source: string;
  /** The same file again gives the job it had before. */
  reuse: boolean;
}

export interface Outcome {
  name: string;
  jobId?: string;
  /** Plain text; absent when there is none. */
  transcript?: string;
  error?: string;
}

/** Submits the recordings through the public API, follows them together, and gives what came back in their order. */
export function transcribeRecordings(api: ApiClient, recordings: readonly Recording[], view: ProgressView): Promise<Outcome[]> {
  const names = displayNames(recordings.map(({ source }) => source));
  return Promise.all(recordings.map((recording, index) => transcribeRecording(api, recording, names[index] ?? recording.source, view)));
}

async function transcribeRecording(api: ApiClient, recording: Recording, name: string, view: ProgressView): Promise<Outcome> {
  const problem = await problemOf(recording.source);
  if (problem !== undefined) return { name, error: problem };
  const report = view.add(name);
  let jobId: string | undefined;
  try {
    report(0, 'submitting');
    jobId = await submit(api, recording);
    const job = await follow(api, jobId, report);
    report(job.status === 'completed' ? 100 : (job.progress?.percent ?? 0), job.status);
    if (job.status !== 'completed') return { name, jobId, error: failureOf(job) };
    return { name, jobId, transcript: await api.transcript(jobId) };
  } catch (error) {
    report(0, 'failed');
    return { name, ...(jobId !== undefined && { jobId }), error: reasonOf(error, recording.source) };
  }
}

async function submit(api: ApiClient, { source, reuse }: Recording): Promise<string> {
  if (isAddress(source)) return api.submitUrl(source);
  if (!reuse) return api.submitFile(source, randomUUID());
  try {
    return await api.submitFile(source, await contentKey(source));
  } catch (error) {
    // The job of the key was deleted.
    if (error instanceof RefusedRequest && error.problemCode === 'invalid_state') return api.submitFile(source, randomUUID());
    throw error;
  }
}

const failureOf = ({ status, error }: Job): string => (error ? `${error.message} (${error.code})${hintFor(error.code)}` : `The job was ${status}.`);

/** Advice for the operator, which the API does not give its callers. */
const hintFor = (code: string | undefined): string =>
  code === 'address_forbidden' ? '; to allow it, start with its network in EGRESS_ALLOW, for instance EGRESS_ALLOW=127.0.0.0/8 for this machine' : '';

/** With what to look for in the API description and in the log. */
export function reasonOf(error: unknown, source: string): string {
  if (error instanceof RefusedRequest) {
    const marks = [error.problemCode, error.requestId && `request ${error.requestId}`].filter(Boolean);
    return marks.length === 0 ? error.message : `${error.message} (${marks.join(', ')})${hintFor(error.problemCode)}`;
  }
  // fetch says only that it failed.
  const cause = error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
  if (typeof (cause as NodeJS.ErrnoException).path === 'string') return unreadable(source, cause);
  return cause instanceof Error ? cause.message : String(cause);
}

const MAX_FAILURES = 5;
const PAUSE_MS = 1000;

/** Waits for a terminal state, by events; a stream that ends or breaks off is opened again. @throws when nothing came of several tries in a row */
export async function follow(
  api: Pick<ApiClient, 'events' | 'job'>,
  jobId: string,
  onProgress: (percent: number, stage: string) => void,
  pauseMs = PAUSE_MS,
): Promise<Job> {
  let failures = 0;
  for (;;) {
    try {
      for await (const event of api.events(jobId)) {
        failures = 0;
        if (event.event !== 'progress') continue;
        const { percent, stage } = JSON.parse(event.data) as { percent: number; stage?: string };
        // The last one comes with the end, of which the job itself says how it was.
        if (percent < 100) onProgress(percent, stage ?? 'processing');
      }
    } catch (error) {
      failures++;
      if (failures === MAX_FAILURES || isRefused(error)) throw error;
      await sleep(pauseMs);
    }
    const job = await api.job(jobId).catch((error: unknown) => {
      failures++;
      if (failures >= MAX_FAILURES || isRefused(error)) throw error;
    });
    if (job && job.status !== 'queued' && job.status !== 'processing') return job;
  }
}

const isRefused = (error: unknown): boolean => error instanceof RefusedRequest && error.status < 500 && error.status !== 429;
