import type { common, NewEvent } from '@parlance/contracts';
import { AppError, type StateReason } from '@parlance/platform';
import { billFailure } from './billing.js';
import { expire } from './job-expiry.js';
import type { Announcement } from './job-events.js';
import type { JobInput } from './job-input.js';
import { ADD_ONS, isOpenStage, isTerminal, STAGES, type AddOn, type Job, type Stage, type StageName } from './job.js';

/** A job while an input is worked in; its progress and events follow once that is done. */
export interface Draft {
  job: Job;
  announcements: Announcement[];
  requests: NewEvent[];
}

export type Input<T extends JobInput['type']> = Extract<JobInput, { type: T }>;

/** Without media or transcript there is no job: what has not ended is canceled. */
export function fail({ job, announcements, requests }: Draft, stage: 'ingest' | 'transcription', error: common.Failure, now: string): boolean {
  if (isTerminal(job.status) || job.stages.transcription.status === 'completed') return false;
  const state = job.stages[stage];
  if (isOpenStage(state)) end(state, 'failed', now, state.engine, error);
  cancelOpenStages(job, now);
  job.error = error;
  requests.push(...billFailure(job, error, now));
  finish(job, 'failed', now);
  announcements.push({ type: 'job.failed' });
  return true;
}

export function finish(job: Job, status: 'completed' | 'failed' | 'canceled', now: string): void {
  job.status = status;
  job.completedAt = now;
  expire(job);
}

export function begin(stage: Stage, now: string, engine?: string): void {
  stage.status = 'running';
  stage.startedAt = now;
  delete stage.waitedUntil;
  stage.attempts += 1;
  if (engine !== undefined) stage.engine = engine;
}

export function end(stage: Stage, status: Stage['status'], now: string, engine?: string, error?: common.Failure): void {
  stage.status = status;
  stage.completedAt = now;
  if (engine !== undefined) stage.engine = engine;
  if (error !== undefined) stage.error = error;
}

/** A stage that never began has no time at which it ended. */
export function cancelOpenStages(job: Job, now: string): void {
  for (const stage of STAGES.map((name) => job.stages[name])) {
    if (stage.status === 'running') end(stage, 'canceled', now);
    if (stage.status === 'pending') stage.status = 'canceled';
  }
}

export function warn(job: Job, warnings: readonly common.Warning[]): void {
  for (const { code, message } of warnings) {
    if (!job.warnings.some((known) => known.code === code && known.message === message)) job.warnings.push({ code, message });
  }
}

/** Warnings about the media itself, which ingest gives while it decodes. */
export const MEDIA_WARNINGS: ReadonlySet<string> = new Set(['media_truncated', 'channels_mixed']);

/** Warnings that no later run of the job gives again. */
export const LASTING_WARNINGS: ReadonlySet<string> = new Set([...MEDIA_WARNINGS, 'audio_gap', 'live_retranscribed']);

export const isTranscribing = ({ status, stages }: Job): boolean => status === 'processing' && stages.transcription.status === 'running';
export const isAddOn = (stage: StageName): stage is AddOn => ADD_ONS.some((name) => name === stage);
export const failedCode = (stage: AddOn): string => `${stage}_failed`;
export const pending = (attempts: number, now: string): Stage => ({ status: 'pending', attempts, requestedAt: now });

export const invalidState = (reason: StateReason, message: string): AppError => new AppError({ kind: 'conflict', code: 'invalid_state', reason, message, retryable: reason === 'still_running' });
