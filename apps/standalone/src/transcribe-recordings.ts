import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { contentKey, RefusedRequest, type ApiClient, type Job } from './api-client.js';
import type { ProgressView } from './progress-view.js';

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

const isUrl = (source: string) => /^https?:\/\//i.test(source);

/** Submits the recordings through the public API, follows them together, and gives what came back in their order. */
export function transcribeRecordings(api: ApiClient, recordings: readonly Recording[], view: ProgressView): Promise<Outcome[]> {
  return Promise.all(recordings.map((recording) => transcribeRecording(api, recording, view)));
}

async function transcribeRecording(api: ApiClient, recording: Recording, view: ProgressView): Promise<Outcome> {
  const name = isUrl(recording.source) ? recording.source.replace(/[?#].*$/, '') : basename(recording.source);
  try {
    view.update(name, 0, 'submitting');
    const jobId = await submit(api, recording);
    const job = await follow(api, jobId, (percent, stage) => view.update(name, percent, stage));
    if (job.status !== 'completed') return { name, jobId, error: job.error?.message ?? `The job was ${job.status}.` };
    view.update(name, 100, 'completed');
    return { name, jobId, transcript: await api.transcript(jobId) };
  } catch (error) {
    return { name, error: reasonOf(error, recording.source) };
  }
}

async function submit(api: ApiClient, { source, reuse }: Recording): Promise<string> {
  if (isUrl(source)) return api.submitUrl(source);
  if (!reuse) return api.submitFile(source, randomUUID());
  try {
    return await api.submitFile(source, await contentKey(source));
  } catch (error) {
    // The job of the key was deleted.
    if (error instanceof RefusedRequest && error.problemCode === 'invalid_state') return api.submitFile(source, randomUUID());
    throw error;
  }
}

function reasonOf(error: unknown, source: string): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ERR_INVALID_ARG_VALUE') return `${source} does not exist or cannot be read.`;
  return error instanceof Error ? error.message : String(error);
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
        onProgress(percent, stage ?? 'processing');
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
