import type { NewEvent } from '@parlance/contracts';
import { stageMessage } from './job-events.js';
import { ADD_ONS, isOpenStage, type AddOn, type Job } from './job.js';

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

function mediaAgain({ id: jobId, accountId, run, media, planKey, audioPrefix, chunks, options }: Job): NewEvent[] {
  if (!media || planKey === undefined || audioPrefix === undefined) return [];
  return [{ type: 'media.ready', data: { jobId, accountId, run, media, planKey, audioPrefix, chunksTotal: chunks.total, options } }];
}

const addOnsAgain = (job: Job): NewEvent[] => ADD_ONS.filter((stage) => isOpenStage(job.stages[stage])).map((stage) => stageRequested(job, stage));

export const stageRequested = ({ id: jobId, accountId, run, options, planKey = '', media }: Job, stage: AddOn): NewEvent => ({
  type: 'stage.requested',
  data: { jobId, accountId, run, stage: stageMessage(stage), options, planKey, media },
});
