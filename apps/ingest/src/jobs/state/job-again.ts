import type { NewEvent } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { billedMs } from './bill.js';
import { failedCode, invalidState, LASTING_WARNINGS, pending, type Draft, type Input } from './job-draft.js';
import { progressOf } from './job-progress.js';
import { canBeHadAgain, isFinal } from './media-retention.js';
import { stageRequested } from './requests-again.js';
import { ADD_ONS, isAskedFor, isOpenStage, isTerminal, STAGES, type AddOn, type Job } from './job.js';

export function retry(draft: Draft, { limits, force = false }: Input<'retry'>, now: string): boolean {
  const { job } = draft;
  requireUnsealed(job);
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
  // The warnings about the media hold until it is decoded again, which a retry mostly need not do; those of a live session for good.
  job.warnings = job.warnings.filter(({ code }) => LASTING_WARNINGS.has(code));
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

/** Add-ons that are made from the text, so that they are of an older one when it is edited. Search follows edits by itself, and speakers stay. */
const OF_TEXT: ReadonlySet<AddOn> = new Set(['summary', 'highlights', 'chapters', 'entities']);

const OF_MEDIA: ReadonlySet<AddOn> = new Set(['diarization', 'audio_redaction']);

/**
 * The job stays completed. A stage that has completed keeps its result and options, unless the transcript was edited since it was requested.
 * @returns false when nothing is left to do
 */
export function orderAddOns({ job, requests }: Draft, { diarization, summary, highlights = false, chapters = false, entities = false, transcriptRevision = 0 }: Input<'order_add_ons'>, now: string): boolean {
  requireUnsealed(job);
  if (job.status !== 'completed') throw invalidState(isTerminal(job.status) ? 'no_transcript' : 'still_running', `The job is ${job.status}; add-ons can be ordered once it is completed.`);
  const asked = { diarization: diarization !== undefined, summary: summary !== undefined, highlights, chapters, entities };
  if (diarization && job.media?.splitChannels !== undefined) throw invalidState('channels_are_speakers', 'Each channel of the recording, or each of its files, is a speaker of the transcript already.');
  const revision = Math.max(transcriptRevision, job.transcriptRevision ?? 0);
  const isDone = (stage: AddOn): boolean => job.stages[stage].status === 'completed' && !(OF_TEXT.has(stage) && (job.stages[stage].transcriptRevision ?? 0) < revision);
  const stages = ADD_ONS.filter((stage) => stage in asked && asked[stage as keyof typeof asked] && !isDone(stage));
  if (stages.length === 0) return false;
  if (job.open) throw invalidState('still_running', 'A stage of the job is still in progress; add-ons can be ordered once it has ended.');
  if (diarization && stages.includes('diarization')) job.options.diarization = diarization;
  if (summary && stages.includes('summary')) job.options.summary = summary;
  if (highlights) job.options.highlights = true;
  if (chapters) job.options.chapters = true;
  if (entities) job.options.entities = true;
  startAgain(job, stages, requests, now, revision);
  return true;
}

/**
 * A further run, of these stages alone. Ingest decodes the audio of diarization again where it was removed or lost.
 * @throws AppError media_removed
 */
function startAgain(job: Job, stages: readonly AddOn[], requests: NewEvent[], now: string, revision = job.transcriptRevision ?? 0): void {
  if (stages.some((stage) => OF_MEDIA.has(stage)) && job.mediaRemovedAt !== undefined) throw mediaRemoved();
  if (stages.includes('diarization')) job.awaitsAudio = true;
  job.run += 1;
  for (const stage of stages) {
    job.stages[stage] = { ...pending(job.stages[stage].attempts, now), ...(revision > 0 && { transcriptRevision: revision }) };
    job.warnings = job.warnings.filter(({ code }) => code !== failedCode(stage));
  }
  requests.push(...stages.map((stage) => stageRequested(job, stage)));
}

/** Diarization that was ordered while its audio was removed begins again, with the add-ons beside it, since a run has one number. */
export function audioRemoved({ job, requests }: Draft, { inRun }: Input<'audio_removed'>, now: string): boolean {
  if (job.run === inRun || job.status !== 'completed' || job.mediaRemovedAt !== undefined || !isOpenStage(job.stages.diarization)) return false;
  const open = ADD_ONS.filter((stage) => isOpenStage(job.stages[stage]));
  startAgain(job, open, requests, now, Math.max(job.transcriptRevision ?? 0, ...open.map((stage) => job.stages[stage].transcriptRevision ?? 0)));
  return true;
}

/** Search filters by the metadata of the job, which the search stage reads when it begins: when they changed since, it runs again. */
export function reindex(job: Job, now: string): NewEvent[] {
  if (job.status !== 'completed' || job.open || !job.mustReindex) return [];
  delete job.mustReindex;
  job.run += 1;
  job.open = true;
  job.stages.search = pending(job.stages.search.attempts, now);
  job.progress = progressOf(job, now);
  return [stageRequested(job, 'search')];
}

/** The text and the media of a sealed job are gone when it has ended. @throws AppError sealed */
function requireUnsealed({ isSealed }: Job): void {
  if (isSealed) throw new AppError({ code: 'sealed', message: 'The job is sealed: nothing more can be made of its recording here.' });
}

const mediaRemoved = (): AppError =>
  new AppError({ kind: 'conflict', code: 'media_removed', message: 'The media of the job was removed because its retention ended or it could not be transcribed. Submit it again as a new job.', retryable: false });
