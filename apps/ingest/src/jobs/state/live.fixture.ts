import { common } from '@parlance/contracts';
import { EVERYTHING, NOON } from './job.fixture.js';
import type { JobInput } from './job-input.js';
import type { LiveSource } from './job-source.js';
import type { Job } from './job.js';
import { createJob } from './new-job.js';

export const SPEECH: common.LiveAudio = { encoding: common.LiveEncoding.LIVE_ENCODING_PCM_S16LE, sampleRate: 16_000, channels: 1 };

const SOURCE: LiveSource = { kind: 'live', audio: SPEECH, finalPass: common.LiveFinalPass.LIVE_FINAL_PASS_NONE, storeAudio: true };

/** For tests: the job of a live session whose audio arrives. */
export const liveJob = (changes: Partial<LiveSource> = {}, options: common.JobOptions = EVERYTHING): Job => createJob({ jobId: 'job_1', accountId: 'acc_1', source: { ...SOURCE, ...changes }, options }, NOON).job;

export const FINALS = 'acc_1/job_1/live-finals.json';

export const liveFinished = (changes: Partial<Extract<JobInput, { type: 'live_finished' }>> = {}): JobInput => ({ type: 'live_finished', pieces: 2, gaps: [], finalsKey: FINALS, ...changes });
