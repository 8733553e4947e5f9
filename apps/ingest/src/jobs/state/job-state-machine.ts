import type { NewEvent } from '@parlance/contracts';
import { redactUrl, requireMatch } from '@parlance/platform';
import { isHolding } from '../../accounts/legal-hold.js';
import { billedMs } from './bill.js';
import { audioSeconds, bill, toMs } from './billing.js';
import { EMPTY_CHUNKS } from './chunk-set.js';
import { eventOptions } from './event-options.js';
import { audioRemoved, orderAddOns, reindex, retry } from './job-again.js';
import { changeJob } from './job-changes.js';
import { begin, cancelOpenStages, end, fail, finish, invalidState, isAddOn, isTranscribing, MEDIA_WARNINGS, warn, type Draft, type Input } from './job-draft.js';
import { announce } from './job-events.js';
import { liftHold, setHold } from './job-holds.js';
import type { JobInput } from './job-input.js';
import { expire } from './job-expiry.js';
import { progressOf } from './job-progress.js';
import { liveFinished, liveAudioTaken, liveLost } from './live-finished.js';
import { isMediaExpired } from './media-retention.js';
import { ingestRequested, requestsAgain, stageRequested } from './requests-again.js';
import { announceErasure, contentErased, resultSealed, sealingFailed } from './sealing-transitions.js';
import { chunkDone, chunkFailed, stageFinished, stageStarted, summaryFinished, transcriptCompleted, transcriptEdited } from './stage-transitions.js';
import { isAwaitingAudio, isAwaitingRedaction, isAwaitingSealing, isLiveOpen, isOpenStage, isTerminal, STAGES, type Job } from './job.js';

interface Transition {
  job: Job;
  events: NewEvent[];
}

/**
 * The one place that decides a job's state. Pure: the same job, input and time give the same transition.
 * @returns undefined when the input changes nothing: a duplicate, a report of an older run, of a job that has ended, or of one whose live session is open.
 * @throws AppError conflict/invalid_state when a cancel or retry is not possible now.
 */
export function advance(job: Job, input: JobInput, now: string): Transition | undefined {
  if ('run' in input && (input.run !== job.run || isLiveOpen(job))) return undefined;
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
    case 'live_finished':
      return liveFinished(draft, input, now);
    case 'live_audio_taken':
      return liveAudioTaken(draft, input);
    case 'live_lost':
      return liveLost(draft, now);
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
    case 'audio_removed':
      return audioRemoved(draft, input, now);
    case 'audio_redacted':
      return audioRedacted(draft, input, now);
    case 'result_sealed':
      return resultSealed(draft, now);
    case 'sealing_failed':
      return sealingFailed(draft, input, now);
    case 'content_erased':
      return contentErased(draft, now);
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
    case 'hold':
      return setHold(draft, input, now);
    case 'lift_hold':
      return liftHold(draft, input, now);
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

/** From here on its media is the redacted recording, and is kept as long as the options say. */
function audioRedacted(draft: Draft, { media, run }: Input<'audio_redacted'>, now: string): boolean {
  const { job } = draft;
  if (!isAwaitingRedaction(job) || !job.media) return false;
  Object.assign(job.media, media);
  stageFinished(draft, { type: 'stage_finished', run, stage: 'audio_redaction', status: 'completed', warnings: [] }, now);
  expire(job);
  return true;
}

function ingestFailed(draft: Draft, { error, run }: Input<'ingest_failed'>, now: string): boolean {
  if (isAwaitingRedaction(draft.job)) return stageFinished(draft, { type: 'stage_finished', run, stage: 'audio_redaction', status: 'failed', error, warnings: [] }, now);
  if (isAwaitingAudio(draft.job)) return stageFinished(draft, { type: 'stage_finished', run: draft.job.run, stage: 'diarization', status: 'failed', error, warnings: [], isUnheard: true }, now);
  // A job still in the queue: none of the tries came as far as to start it.
  return isBeforeTranscription(draft.job) && fail(draft, 'ingest', error, now);
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
  if (!isTerminal(job.status) || job.open || job.mediaRemovedAt !== undefined || isHolding(job.hold, now) || !isMediaExpired(job, now)) return false;
  job.mediaRemovedAt = now;
  return true;
}

function mediaErased({ job }: Draft): boolean {
  if (job.mediaRemovedAt === undefined || job.mediaExpiresAt === undefined) return false;
  delete job.mediaExpiresAt;
  return true;
}

/** Completes the job when nothing is left to do, then brings progress, revision and events up to date. */
function settle(before: Job, { job, announcements, requests }: Draft, now: string): Transition {
  if (job.status === 'processing' && !STAGES.some((name) => isOpenStage(job.stages[name]))) {
    finish(job, 'completed', now);
    requests.push(...bill(job, now));
    announcements.push({ type: 'job.completed' });
  }
  if (isAwaitingRedaction(job) && !isAwaitingRedaction(before)) requests.push(ingestRequested(job));
  if (isAwaitingSealing(job) && !isAwaitingSealing(before)) requests.push(ingestRequested(job));
  announceErasure(before, job, announcements);
  job.open = STAGES.some((name) => isOpenStage(job.stages[name]));
  job.progress = progressOf(job, now);
  job.revision += 1;
  job.updatedAt = now;
  if (announcements.length === 0 && isVisible(before, job)) announcements.push({ type: 'job.progressed' });
  const announced = announce(job, announcements, now);
  // The events before are about the run that ended.
  return { job: announced.job, events: [...announced.events, ...requests, ...reindex(announced.job, now)] };
}

/** True when a reader of the job sees a difference: whole percents, the status, a stage's status. */
const isVisible = (before: Job, after: Job): boolean =>
  before.status !== after.status ||
  Math.floor(before.progress.percent) !== Math.floor(after.progress.percent) ||
  STAGES.some((name) => before.stages[name].status !== after.stages[name].status);

const isIngesting = ({ status, stages }: Job): boolean => status === 'processing' && stages.transcription.status === 'pending';
const isBeforeTranscription = ({ status, stages }: Job): boolean => !isTerminal(status) && stages.transcription.status === 'pending';
