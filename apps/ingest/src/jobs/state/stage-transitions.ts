import type { common, NewEvent } from '@parlance/contracts';
import { chunkMs } from './billing.js';
import { addChunk, allChunks, hasChunk } from './chunk-set.js';
import { begin, end, fail, failedCode, isAddOn, isTranscribing, warn, type Draft, type Input } from './job-draft.js';
import { stageMessage, stageStatusMessage } from './job-events.js';
import { isOpenStage, type AddOn, type Job } from './job.js';

export function chunkDone({ job }: Draft, { index, total, ownSeconds, warnings }: Input<'chunk_done'>): boolean {
  const { chunks } = job;
  if (!isTranscribing(job) || total !== chunks.total || index < 0 || index >= total || hasChunk(chunks.done, index)) return false;
  job.chunks = { ...chunks, done: addChunk(chunks.done, index), count: chunks.count + 1, milliseconds: (chunks.milliseconds ?? 0) + chunkMs(job, ownSeconds) };
  warn(job, warnings);
  return true;
}

export function chunkFailed(draft: Draft, { index, error }: Input<'chunk_failed'>, now: string): boolean {
  if (!isTranscribing(draft.job) || hasChunk(draft.job.chunks.done, index)) return false;
  return fail(draft, 'transcription', error, now);
}

export function transcriptCompleted({ job, announcements }: Draft, input: Input<'transcript_completed'>, now: string): boolean {
  if (!isTranscribing(job)) return false;
  const { total } = job.chunks;
  job.chunks = { ...job.chunks, done: allChunks(total), count: total };
  const { language, detectedLanguage: detected, languageConfidence: confidence, engine } = input;
  job.language = { transcript: language, ...(detected !== undefined && { detected, ...(confidence !== undefined && { confidence }) }) };
  end(job.stages.transcription, 'completed', now, engine);
  warn(job, input.warnings);
  announcements.push({ type: 'job.transcript_ready' });
  return true;
}

/** Each revision is announced once, in their order. */
export function transcriptEdited({ job, announcements }: Draft, { revision }: Input<'transcript_edited'>): boolean {
  if (revision <= (job.transcriptRevision ?? 0)) return false;
  job.transcriptRevision = revision;
  announcements.push({ type: 'job.transcript_edited' });
  return true;
}

export function stageStarted({ job }: Draft, { stage, at, engine, isWaiting = false }: Input<'stage_started'>, now: string): boolean {
  const began = notAfter(at, now);
  if (stage === 'transcription') return transcriptionStarted(job, began);
  if (!isAddOn(stage) || !isOpenStage(job.stages[stage])) return false;
  const state = job.stages[stage];
  const isNew = state.status === 'pending';
  if (isNew) begin(state, began, engine);
  const isLater = isWaiting && began > (state.waitedUntil ?? '');
  if (isLater) state.waitedUntil = began;
  return isNew || isLater;
}

/** Its chunks were handed out when ingest was done, but what they waited for an engine says nothing of how quick it is. */
function transcriptionStarted(job: Job, began: string): boolean {
  const { ingest, transcription } = job.stages;
  const wasHeard = transcription.startedAt !== ingest.completedAt;
  if (!isTranscribing(job) || wasHeard || began <= (transcription.startedAt ?? '')) return false;
  transcription.startedAt = began;
  return true;
}

export function stageFinished(draft: Draft, input: Input<'stage_finished'>, now: string): boolean {
  const { job, announcements, requests } = draft;
  const { stage, status, engine, warnings, isUnheard = false } = input;
  const error = input.error ?? (status === 'failed' ? UNEXPLAINED : undefined);
  if (!isAddOn(stage)) return stage === 'transcription' && status === 'failed' && error ? fail(draft, stage, error, now) : false;
  const state = job.stages[stage];
  if (!isOpenStage(state)) return false;
  if (state.status === 'pending' && status !== 'skipped') begin(state, now);
  end(state, status, now, engine, error);
  warn(job, warnings);
  if (status === 'skipped' && error) warn(job, [{ code: error.code, message: `The stage ${stage} was skipped: ${error.message}` }]);
  if (status === 'failed' && error) {
    warn(job, [{ code: failedCode(stage), message: `The stage ${stage} failed: ${error.message}` }]);
    announcements.push({ type: 'job.stage_failed', stage });
  }
  // The search index is part of every job, and its owner ordered nothing.
  if (status !== 'failed' && job.status === 'completed' && stage !== 'search') announcements.push({ type: 'job.add_on_completed', stage });
  if (isUnheard) requests.push(stageEnded(job, stage));
  return true;
}

/** The event that the stage's own service would have published: summaries, for instance, wait for the speakers. */
const stageEnded = ({ id: jobId, accountId, run, stages }: Job, stage: AddOn): NewEvent => ({
  type: 'stage.finished',
  data: { jobId, accountId, run, stage: stageMessage(stage), status: stageStatusMessage(stages[stage].status), error: stages[stage].error, warnings: [] },
});

/** As many as a job can have. */
const MAX_ENDED_SUMMARIES = 100;

/** One that failed may be tried again by an operator, and is written then. */
export function summaryFinished({ job, announcements }: Draft, { summaryId, error }: Input<'summary_finished'>): boolean {
  const known = job.endedSummaries ?? [];
  const isKnown = known.some((ended) => ended.summaryId === summaryId && (ended.error === undefined) === (error === undefined));
  if (isKnown) return false;
  const summary = { summaryId, ...(error && { error }) };
  const others = known.filter((ended) => ended.summaryId !== summaryId);
  job.endedSummaries = [...others, { ...summary, revision: job.revision + 1 }].slice(-MAX_ENDED_SUMMARIES);
  announcements.push(error ? { type: 'job.summary_failed', summary } : { type: 'job.summary_completed', summary });
  return true;
}

const UNEXPLAINED: common.Failure = { code: 'internal', message: 'The stage reported no reason.', retryable: true };

/** The other side's clock may be ahead. */
const notAfter = (time: string, now: string): string => (time < now ? time : now);
