import { common } from '@parlance/contracts';
import type { JobInput } from './job-input.js';
import { advance } from './job-state-machine.js';
import type { Job } from './job.js';
import { createJob } from './new-job.js';

/** For tests: when the first job begins. */
export const NOON = '2026-01-01T12:00:00.000Z';

export const after = (seconds: number, since = NOON): string => new Date(Date.parse(since) + seconds * 1000).toISOString();

export const EVERYTHING = common.JobOptions.fromPartial({
  diarization: { enabled: true },
  summary: { enabled: true },
  highlights: true,
  metadata: { team: 'blue' },
});

export const TRANSCRIPT_ONLY = common.JobOptions.fromPartial({
  diarization: { enabled: false },
  summary: { enabled: false },
  highlights: false,
});

export const queuedJob = (options: common.JobOptions = EVERYTHING): Job =>
  createJob(
    {
      jobId: 'job_1',
      accountId: 'acc_1',
      source: { kind: 'url', url: 'https://user:secret@media.example/talk.mp3?token=secret', fetched: false },
      options,
    },
    NOON,
  ).job;

export const MEDIA = common.Media.fromPartial({ duration: 120, format: 'mp3', codec: 'mp3', sizeBytes: 1000 });
export const FAILURE: common.Failure = { code: 'engine_failed', message: 'The engine gave up.', retryable: true };

export const mediaReady = (run = 1, chunksTotal = 4): JobInput => ({
  type: 'media_ready',
  run,
  media: MEDIA,
  planKey: 'acc_1/job_1/plan.json',
  audioPrefix: 'acc_1/job_1/audio/',
  chunksTotal,
  warnings: [],
  samePlan: run > 1,
});

/** With two channels that are transcribed apart. */
export const splitMedia = (run = 1): JobInput => ({ ...(mediaReady(run) as Extract<JobInput, { type: 'media_ready' }>), media: { ...MEDIA, channels: 2, splitChannels: 2 } });

export const chunkDone = (index: number, run = 1, total = 4): JobInput => ({ type: 'chunk_done', run, index, total, warnings: [] });

export const transcribed = (run = 1): JobInput => ({ type: 'transcript_completed', run, language: 'en', engine: 'fixture', warnings: [] });

/** The job after the inputs that change it, a second apart. */
export function play(job: Job, inputs: readonly JobInput[]): { job: Job; types: string[] } {
  const types: string[] = [];
  let current = job;
  for (const input of inputs) {
    const transition = advance(current, input, after(1, current.updatedAt));
    types.push(...(transition?.events ?? []).map(({ type }) => type));
    current = transition?.job ?? current;
  }
  return { job: current, types };
}
