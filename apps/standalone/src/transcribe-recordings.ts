import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { contentKey, type ApiClient, type Job } from './api-client.js';
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
  return api.submitFile(source, reuse ? await contentKey(source) : randomUUID());
}

function reasonOf(error: unknown, source: string): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ERR_INVALID_ARG_VALUE') return `${source} does not exist or cannot be read.`;
  return error instanceof Error ? error.message : String(error);
}

/** Waits for a terminal state, by events; a stream that breaks off is opened again. */
async function follow(api: ApiClient, jobId: string, onProgress: (percent: number, stage: string) => void): Promise<Job> {
  for (;;) {
    for await (const event of api.events(jobId)) {
      if (event.event !== 'progress') continue;
      const { percent, stage } = JSON.parse(event.data) as { percent: number; stage?: string };
      onProgress(percent, stage ?? 'processing');
    }
    const job = await api.job(jobId);
    if (job.status !== 'queued' && job.status !== 'processing') return job;
  }
}
