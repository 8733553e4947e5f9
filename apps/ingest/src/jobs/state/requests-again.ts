import type { NewEvent } from '@parlance/contracts';
import { eventOptions } from './event-options.js';
import { contentErasedEvent, stageMessage } from './job-events.js';
import { ADD_ONS, isAwaitingAudio, isAwaitingMedia, isAwaitingSealing, isOpenStage, type AddOn, type Job, type StageName } from './job.js';

/**
 * Returns the requests of a running job that have no report yet. Receivers accept a request of the same run twice, and report
 * again what they have finished. `media.ready` requests the chunks.
 */
export function requestsAgain(job: Job): NewEvent[] {
  const { transcription } = job.stages;
  if (isJoining(job)) return [ingestRequested(job)];
  if (transcription.status === 'running') return mediaAgain(job);
  if (isAwaitingSealing(job)) return sealingAgain(job);
  return transcription.status === 'completed' ? addOnsAgain(job) : [];
}

export function requestAgain(job: Job, stage: StageName): NewEvent[] {
  if (stage === 'ingest') return [ingestRequested(job)];
  if (stage === 'sealing') return sealingAgain(job);
  return stage === 'transcription' ? mediaAgain(job) : [stageRequested(job, stage)];
}

/** True for the job of a finished live session until its recording is decoded. It has no place in the schedule, which would add its task again. */
export const isJoining = (job: Job): boolean => job.source.kind === 'live' && job.status === 'processing' && isAwaitingMedia(job);

/** Receivers add a task for the run, unless there is one. */
export const ingestRequested = ({ id: jobId, accountId, run }: Job): NewEvent => ({ type: 'ingest.requested', data: { jobId, accountId, run } });

function mediaAgain(job: Job): NewEvent[] {
  const { id: jobId, accountId, run, media, planKey, audioPrefix, chunks } = job;
  if (!media || planKey === undefined || audioPrefix === undefined) return [];
  return [{ type: 'media.ready', data: { jobId, accountId, run, media, planKey, audioPrefix, chunksTotal: chunks.total, options: eventOptions(job) } }];
}

/** Before its result is stored, the result; then the erasure of what it was made of. */
const sealingAgain = (job: Job): NewEvent[] => [job.sealedAt === undefined ? ingestRequested(job) : contentErasedEvent(job, job.sealedAt)];

const addOnsAgain = (job: Job): NewEvent[] => ADD_ONS.filter((stage) => isOpenStage(job.stages[stage])).map((stage) => stageRequested(job, stage));

/** The request of an add-on stage; of its audio, where that is to be decoded again first. */
export const stageRequested = (job: Job, stage: AddOn): NewEvent => {
  const { id: jobId, accountId, run, planKey = '', media } = job;
  if (stage === 'audio_redaction' || (stage === 'diarization' && isAwaitingAudio(job))) return ingestRequested(job);
  return { type: 'stage.requested', data: { jobId, accountId, run, stage: stageMessage(stage), options: eventOptions(job), planKey, media } };
};
