import type { NewEvent } from '@parlance/contracts';
import { eventOptions } from './event-options.js';
import { stageMessage } from './job-events.js';
import { ADD_ONS, isAwaitingAudio, isOpenStage, type AddOn, type Job } from './job.js';

/**
 * Returns the requests of a running job that have no report yet. Receivers accept a request of the same run twice, and report
 * again what they have finished. `media.ready` requests the chunks.
 */
export function requestsAgain(job: Job): NewEvent[] {
  const { transcription } = job.stages;
  if (transcription.status === 'running') return mediaAgain(job);
  return transcription.status === 'completed' ? addOnsAgain(job) : [];
}

export const requestAgain = (job: Job, stage: AddOn | 'transcription'): NewEvent[] => (stage === 'transcription' ? mediaAgain(job) : [stageRequested(job, stage)]);

function mediaAgain(job: Job): NewEvent[] {
  const { id: jobId, accountId, run, media, planKey, audioPrefix, chunks } = job;
  if (!media || planKey === undefined || audioPrefix === undefined) return [];
  return [{ type: 'media.ready', data: { jobId, accountId, run, media, planKey, audioPrefix, chunksTotal: chunks.total, options: eventOptions(job) } }];
}

const addOnsAgain = (job: Job): NewEvent[] => ADD_ONS.filter((stage) => isOpenStage(job.stages[stage])).map((stage) => stageRequested(job, stage));

/** The request of an add-on stage; of its audio, where that is to be decoded again first. */
export const stageRequested = (job: Job, stage: AddOn): NewEvent => {
  const { id: jobId, accountId, run, planKey = '', media } = job;
  if (stage === 'diarization' && isAwaitingAudio(job)) return { type: 'ingest.requested', data: { jobId, accountId, run } };
  return { type: 'stage.requested', data: { jobId, accountId, run, stage: stageMessage(stage), options: eventOptions(job), planKey, media } };
};
