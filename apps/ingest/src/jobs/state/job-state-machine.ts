import type { common, NewEvent } from '@parlance/contracts';
import { AppError, redactUrl, requireMatch, type StateReason } from '@parlance/platform';
import { billedMs } from './bill.js';
import { audioSeconds, bill, billFailure, chunkMs, toMs } from './billing.js';
import { eventOptions } from './event-options.js';
import { addChunk, allChunks, EMPTY_CHUNKS, hasChunk } from './chunk-set.js';
import { announce, stageMessage, stageStatusMessage, type Announcement } from './job-events.js';
import { changeJob } from './job-changes.js';
import type { JobInput } from './job-input.js';
import { progressOf } from './job-progress.js';
import { expire } from './job-expiry.js';
import { canBeHadAgain, isFinal, isMediaExpired } from './media-retention.js';
import { requestsAgain, stageRequested } from './requests-again.js';
import { ADD_ONS, isAskedFor, isAwaitingAudio, isOpenStage, isTerminal, STAGES, type AddOn, type Job, type Stage, type StageName } from './job.js';

interface Transition {
  job: Job;
  events: NewEvent[];
}

/** A job while an input is worked in; its progress and events follow once that is done. */
interface Draft {
  job: Job;
  announcements: Announcement[];
  requests: NewEvent[];
}

type Input<T extends JobInput['type']> = Extract<JobInput, { type: T }>;

/**
 * The one place that decides a job's state. Pure: the same job, input and time give the same transition.
 * @returns undefined when the input changes nothing: a duplicate, a report of an older run, or of a job that has ended.
 * @throws AppError conflict/invalid_state when a cancel or retry is not possible now.
 */
export function advance(job: Job, input: JobInput, now: string): Transition | undefined {
  if ('run' in input && input.run !== job.run) return undefined;
  const draft: Draft = { job: structuredClone(job), announcements: [], requests: [] };
  if (!apply(draft, input, now)) return undefined;
  return isRepeatedWait(job, input) ? { job: draft.job, events: [] } : settle(job, draft, now);
}

/**
 * A running add-on stage that reports that it still waits: for its readers the job is as before, so it keeps its revision and its
 * updatedAt. Otherwise these reports would put off the timeouts of the other stages.
 */
const isRepeatedWait = ({ stages }: Job, input: JobInput): boolean => input.type === 'stage_started' && isAddOn(input.stage) && stages[input.stage].status === 'running';

/** @returns whether anything changed. */
function apply(draft: Draft, input: JobInput, now: string): boolean {
  switch (input.type) {
    case 'started':
      return start(draft, now);
    case 'source_fetched':
      return sourceFetched(draft);
    case 'ingest_progressed':
      return ingestProgressed(draft, input);
    case 'media_ready':
      return mediaReady(draft, input, now);
    case 'chunk_done':
      return chunkDone(draft, input);
    case 'transcript_completed':
      return transcriptCompleted(draft, input, now);
    case 'transcript_edited':
      return transcriptEdited(draft, input);
    case 'stage_started':
      return stageStarted(draft, input, now);
    case 'stage_finished':
      return stageFinished(draft, input, now);
    case 'summary_finished':
      return summaryFinished(draft, input);
    case 'audio_ready':
      return audioReady(draft);
    case 'ingest_failed':
      return ingestFailed(draft, input, now);
    case 'chunk_failed':
      return chunkFailed(draft, input, now);
    case 'stalled':
      return fail(draft, isTranscribing(draft.job) ? 'transcription' : 'ingest', input.error, now);
    case 'resumed':
      return resume(draft);
    case 'cancel':
      return cancel(draft, now);
    case 'update':
      return update(draft, input);
    case 'media_expired':
      return mediaExpired(draft, now);
    case 'media_erased':
      return mediaErased(draft);
    case 'order_add_ons':
      return orderAddOns(draft, input, now);
    case 'retry':
      return retry(draft, input, now);
  }
}

function start({ job, announcements }: Draft, now: string): boolean {
  if (job.status !== 'queued') return false;
  job.status = 'processing';
  job.startedAt = now;
  if (isOpenStage(job.stages.ingest)) begin(job.stages.ingest, now);
  announcements.push({ type: 'job.started' });
  return true;
}

/** From here on the address is kept without what can hold secrets. */
function sourceFetched({ job }: Draft): boolean {
  if (job.status !== 'processing' || job.source.kind !== 'url' || job.source.fetched) return false;
  job.source = { kind: 'url', url: redactUrl(job.source.url), fetched: true };
  return true;
}

function ingestProgressed({ job }: Draft, { part, decodedSeconds = 0 }: Input<'ingest_progressed'>): boolean {
  const known = Math.min(1, part);
  const decoded = toMs(decodedSeconds);
  const isNews = known > job.ingestPart || decoded > (job.decodedMilliseconds ?? 0);
  if (!isIngesting(job) || job.stages.ingest.status !== 'running' || !isNews) return false;
  job.ingestPart = Math.max(known, job.ingestPart);
  if (decoded > (job.decodedMilliseconds ?? 0)) job.decodedMilliseconds = decoded;
  return true;
}

/** Chunks done in an earlier run stay done while its plan does. */
function mediaReady({ job, requests }: Draft, input: Input<'media_ready'>, now: string): boolean {
  const { media, planKey, audioPrefix, chunksTotal, warnings, samePlan } = input;
  const { ingest, transcription, diarization } = job.stages;
  if (!isIngesting(job)) return false;
  Object.assign(job, { media, planKey, audioPrefix, decodedMilliseconds: Math.max(toMs(audioSeconds(media)), billedMs(job.bills)) });
  if (!samePlan) job.warnings = job.warnings.filter(({ code }) => !MEDIA_WARNINGS.has(code));
  if (!samePlan) job.chunks = { total: chunksTotal, done: EMPTY_CHUNKS, count: 0, countAtStart: 0 };
  if (isOpenStage(ingest)) end(ingest, 'completed', now);
  begin(transcription, now);
  // Channels that are transcribed apart are the speakers.
  if (media.splitChannels !== undefined && isOpenStage(diarization)) job.stages.diarization = { status: 'skipped', attempts: diarization.attempts };
  warn(job, warnings);
  requests.push({
    type: 'media.ready',
    data: { jobId: job.id, accountId: job.accountId, run: job.run, media, planKey, audioPrefix, chunksTotal, options: eventOptions(job) },
  });
  return true;
}

/** The audio of a completed job was decoded again, for the stage that was ordered later. */
function audioReady({ job, requests }: Draft): boolean {
  if (!isAwaitingAudio(job)) return false;
  delete job.awaitsAudio;
  requests.push(stageRequested(job, 'diarization'));
  return true;
}

function ingestFailed(draft: Draft, { error }: Input<'ingest_failed'>, now: string): boolean {
  if (isAwaitingAudio(draft.job)) return stageFinished(draft, { type: 'stage_finished', run: draft.job.run, stage: 'diarization', status: 'failed', error, warnings: [], isUnheard: true }, now);
  // A job still in the queue: none of the tries came as far as to start it.
  return isBeforeTranscription(draft.job) && fail(draft, 'ingest', error, now);
}

function chunkDone({ job }: Draft, { index, total, ownSeconds, warnings }: Input<'chunk_done'>): boolean {
  const { chunks } = job;
  if (!isTranscribing(job) || total !== chunks.total || index < 0 || index >= total || hasChunk(chunks.done, index)) return false;
  job.chunks = { ...chunks, done: addChunk(chunks.done, index), count: chunks.count + 1, milliseconds: (chunks.milliseconds ?? 0) + chunkMs(job, ownSeconds) };
  warn(job, warnings);
  return true;
}

function chunkFailed(draft: Draft, { index, error }: Input<'chunk_failed'>, now: string): boolean {
  if (!isTranscribing(draft.job) || hasChunk(draft.job.chunks.done, index)) return false;
  return fail(draft, 'transcription', error, now);
}

function transcriptCompleted({ job, announcements }: Draft, input: Input<'transcript_completed'>, now: string): boolean {
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
function transcriptEdited({ job, announcements }: Draft, { revision }: Input<'transcript_edited'>): boolean {
  if (revision <= (job.transcriptRevision ?? 0)) return false;
  job.transcriptRevision = revision;
  announcements.push({ type: 'job.transcript_edited' });
  return true;
}

function stageStarted({ job }: Draft, { stage, at, engine, isWaiting = false }: Input<'stage_started'>, now: string): boolean {
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

function stageFinished(draft: Draft, input: Input<'stage_finished'>, now: string): boolean {
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

/** As many as a job can have. */
const MAX_ENDED_SUMMARIES = 100;

/** One that failed may be tried again by an operator, and is written then. */
function summaryFinished({ job, announcements }: Draft, { summaryId, error }: Input<'summary_finished'>): boolean {
  const known = job.endedSummaries ?? [];
  const isKnown = known.some((ended) => ended.summaryId === summaryId && (ended.error === undefined) === (error === undefined));
  if (isKnown) return false;
  const summary = { summaryId, ...(error && { error }) };
  const others = known.filter((ended) => ended.summaryId !== summaryId);
  job.endedSummaries = [...others, { ...summary, revision: job.revision + 1 }].slice(-MAX_ENDED_SUMMARIES);
  announcements.push(error ? { type: 'job.summary_failed', summary } : { type: 'job.summary_completed', summary });
  return true;
}

/** The event that the stage's own service would have published: summaries, for instance, wait for the speakers. */
const stageEnded = ({ id: jobId, accountId, run, stages }: Job, stage: AddOn): NewEvent => ({
  type: 'stage.finished',
  data: { jobId, accountId, run, stage: stageMessage(stage), status: stageStatusMessage(stages[stage].status), error: stages[stage].error, warnings: [] },
});

/** Without media or transcript there is no job: what has not ended is canceled. */
function fail({ job, announcements, requests }: Draft, stage: 'ingest' | 'transcription', error: common.Failure, now: string): boolean {
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

function resume({ job, requests }: Draft): boolean {
  requests.push(...requestsAgain(job));
  return requests.length > 0;
}

function cancel({ job, announcements, requests }: Draft, now: string): boolean {
  if (job.status === 'canceled') return false;
  if (isTerminal(job.status)) throw invalidState('already_terminal', `The job is ${job.status} and cannot be canceled.`);
  requests.push(...bill(job, now));
  cancelOpenStages(job, now);
  finish(job, 'canceled', now);
  announcements.push({ type: 'job.canceled' });
  return true;
}

/** @throws AppError precondition_failed */
function update({ job, announcements }: Draft, { ifMatch, changes }: Input<'update'>): boolean {
  requireMatch(ifMatch, String(job.revision));
  const isChanged = changeJob(job, changes);
  if (isChanged) announcements.push({ type: 'job.progressed' });
  return isChanged;
}

/** In one step with the decision that nothing begins again with it: a retry comes before or is refused. */
function mediaExpired({ job }: Draft, now: string): boolean {
  if (!isTerminal(job.status) || job.open || job.mediaRemovedAt !== undefined || !isMediaExpired(job, now)) return false;
  job.mediaRemovedAt = now;
  return true;
}

function mediaErased({ job }: Draft): boolean {
  if (job.mediaRemovedAt === undefined || job.mediaExpiresAt === undefined) return false;
  delete job.mediaExpiresAt;
  return true;
}

function retry(draft: Draft, { limits, force = false }: Input<'retry'>, now: string): boolean {
  const { job } = draft;
  if (limits) job.limits = limits;
  if (job.status === 'failed') return retryJob(job, force, now);
  if (job.status === 'completed' && !job.open) return retryAddOns(draft, now);
  throw invalidState(isTerminal(job.status) && !job.open ? 'nothing_to_retry' : 'still_running', `The job is ${job.status}${job.open ? ' and still in progress' : ''}; only failed work can be retried.`);
}

function retryJob(job: Job, force: boolean, now: string): boolean {
  if (!canBeHadAgain(job)) throw mediaRemoved();
  if (!force && isFinal(job)) throw invalidState('failure_is_final', `The job failed for a reason that another try does not change: ${job.error?.code}. Set force=true to retry it nevertheless.`);
  job.status = 'queued';
  job.run += 1;
  // A cancel before the audio is ready again must find of what the failed run decoded only what was billed.
  for (const field of ['error', 'completedAt', 'startedAt', 'expiresAt', 'mediaExpiresAt', 'mediaRemovedAt', 'decodedMilliseconds'] as const) delete job[field];
  if (job.bills) job.decodedMilliseconds = billedMs(job.bills);
  else delete job.billedSeconds;
  // The warnings about the media hold until it is decoded again, which a retry mostly need not do.
  job.warnings = job.warnings.filter(({ code }) => MEDIA_WARNINGS.has(code));
  job.progress = { percent: 0, stage: 'ingest' };
  job.ingestPart = 0;
  job.chunks.countAtStart = job.chunks.count;
  for (const name of STAGES) {
    if (job.stages[name].status !== 'completed' && isAskedFor(name, job.options)) job.stages[name] = pending(job.stages[name].attempts, now);
  }
  return true;
}

/** The job stays completed; only its failed stages begin again. */
function retryAddOns({ job, requests }: Draft, now: string): boolean {
  const failed = ADD_ONS.filter((stage) => job.stages[stage].status === 'failed');
  if (failed.length === 0) throw invalidState('nothing_to_retry', 'The job is completed and none of its stages has failed.');
  startAgain(job, failed, requests, now);
  return true;
}

/** The job stays completed; a stage that has completed stays as it is, and keeps its options. @returns false when nothing is left to do */
function orderAddOns({ job, requests }: Draft, { diarization, summary, highlights = false, chapters = false, entities = false }: Input<'order_add_ons'>, now: string): boolean {
  if (job.status !== 'completed') throw invalidState(isTerminal(job.status) ? 'no_transcript' : 'still_running', `The job is ${job.status}; add-ons can be ordered once it is completed.`);
  const asked = { diarization: diarization !== undefined, summary: summary !== undefined, highlights, chapters, entities };
  if (diarization && job.media?.splitChannels !== undefined) throw invalidState('channels_are_speakers', 'Each channel of the recording, or each of its files, is a speaker of the transcript already.');
  const stages = ADD_ONS.filter((stage) => stage in asked && asked[stage as keyof typeof asked] && job.stages[stage].status !== 'completed');
  if (stages.length === 0) return false;
  if (job.open) throw invalidState('still_running', 'A stage of the job is still in progress; add-ons can be ordered once it has ended.');
  if (diarization && stages.includes('diarization')) job.options.diarization = diarization;
  if (summary && stages.includes('summary')) job.options.summary = summary;
  if (highlights) job.options.highlights = true;
  if (chapters) job.options.chapters = true;
  if (entities) job.options.entities = true;
  startAgain(job, stages, requests, now);
  return true;
}


/**
 * A further run, of these stages alone. Ingest decodes the audio of diarization again where it was removed or lost.
 * @throws AppError media_removed
 */
function startAgain(job: Job, stages: readonly AddOn[], requests: NewEvent[], now: string): void {
  if (stages.includes('diarization')) {
    if (job.mediaRemovedAt !== undefined) throw mediaRemoved();
    job.awaitsAudio = true;
  }
  job.run += 1;
  for (const stage of stages) {
    job.stages[stage] = pending(job.stages[stage].attempts, now);
    job.warnings = job.warnings.filter(({ code }) => code !== failedCode(stage));
  }
  requests.push(...stages.map((stage) => stageRequested(job, stage)));
}

/** Completes the job when nothing is left to do, then brings progress, revision and events up to date. */
function settle(before: Job, { job, announcements, requests }: Draft, now: string): Transition {
  if (job.status === 'processing' && !STAGES.some((name) => isOpenStage(job.stages[name]))) {
    finish(job, 'completed', now);
    requests.push(...bill(job, now));
    announcements.push({ type: 'job.completed' });
  }
  job.open = STAGES.some((name) => isOpenStage(job.stages[name]));
  job.progress = progressOf(job, now);
  job.revision += 1;
  job.updatedAt = now;
  if (announcements.length === 0 && isVisible(before, job)) announcements.push({ type: 'job.progressed' });
  const announced = announce(job, announcements, now);
  // The events before are about the run that ended.
  return { job: announced.job, events: [...announced.events, ...requests, ...reindex(announced.job, now)] };
}

/** Search filters by the metadata of the job, which the search stage reads when it begins: when they changed since, it runs again. */
function reindex(job: Job, now: string): NewEvent[] {
  if (job.status !== 'completed' || job.open || !job.mustReindex) return [];
  delete job.mustReindex;
  job.run += 1;
  job.open = true;
  job.stages.search = pending(job.stages.search.attempts, now);
  job.progress = progressOf(job, now);
  return [stageRequested(job, 'search')];
}

/** True when a reader of the job sees a difference: whole percents, the status, a stage's status. */
const isVisible = (before: Job, after: Job): boolean =>
  before.status !== after.status ||
  Math.floor(before.progress.percent) !== Math.floor(after.progress.percent) ||
  STAGES.some((name) => before.stages[name].status !== after.stages[name].status);

function finish(job: Job, status: 'completed' | 'failed' | 'canceled', now: string): void {
  job.status = status;
  job.completedAt = now;
  expire(job);
}

function begin(stage: Stage, now: string, engine?: string): void {
  stage.status = 'running';
  stage.startedAt = now;
  delete stage.waitedUntil;
  stage.attempts += 1;
  if (engine !== undefined) stage.engine = engine;
}

function end(stage: Stage, status: Stage['status'], now: string, engine?: string, error?: common.Failure): void {
  stage.status = status;
  stage.completedAt = now;
  if (engine !== undefined) stage.engine = engine;
  if (error !== undefined) stage.error = error;
}

/** A stage that never began has no time at which it ended. */
function cancelOpenStages(job: Job, now: string): void {
  for (const stage of STAGES.map((name) => job.stages[name])) {
    if (stage.status === 'running') end(stage, 'canceled', now);
    if (stage.status === 'pending') stage.status = 'canceled';
  }
}

function warn(job: Job, warnings: readonly common.Warning[]): void {
  for (const { code, message } of warnings) {
    if (!job.warnings.some((known) => known.code === code && known.message === message)) job.warnings.push({ code, message });
  }
}

/** Warnings about the media itself, which ingest gives while it decodes. */
const MEDIA_WARNINGS: ReadonlySet<string> = new Set(['media_truncated', 'channels_mixed']);

const UNEXPLAINED: common.Failure = { code: 'internal', message: 'The stage reported no reason.', retryable: true };

const isIngesting = ({ status, stages }: Job): boolean => status === 'processing' && stages.transcription.status === 'pending';
const isBeforeTranscription = ({ status, stages }: Job): boolean => !isTerminal(status) && stages.transcription.status === 'pending';
const isTranscribing = ({ status, stages }: Job): boolean => status === 'processing' && stages.transcription.status === 'running';
const isAddOn = (stage: StageName): stage is AddOn => ADD_ONS.some((name) => name === stage);
const failedCode = (stage: AddOn): string => `${stage}_failed`;
const pending = (attempts: number, now: string): Stage => ({ status: 'pending', attempts, requestedAt: now });
/** The other side's clock may be ahead. */
const notAfter = (time: string, now: string): string => (time < now ? time : now);

const invalidState = (reason: StateReason, message: string): AppError => new AppError({ kind: 'conflict', code: 'invalid_state', reason, message, retryable: reason === 'still_running' });

const mediaRemoved = (): AppError =>
  new AppError({ kind: 'conflict', code: 'media_removed', message: 'The media of the job was removed because its retention ended or it could not be transcribed. Submit it again as a new job.', retryable: false });
