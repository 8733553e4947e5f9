import { common, type ingest } from '@parlance/contracts';
import type { WorkDocument } from '../work/work-document.js';

const { JobStatus, Stage, StageStatus } = common;

export const isCanceled = ({ status }: ingest.Job): boolean => status === JobStatus.JOB_STATUS_CANCELED;

export const isAtWork = ({ status }: ingest.Job): boolean => status === JobStatus.JOB_STATUS_QUEUED || status === JobStatus.JOB_STATUS_PROCESSING;

/** Whether it may still be found out who speaks. */
export const awaitsSpeakers = ({ stages }: ingest.Job): boolean =>
  stages.some(
    ({ stage, status }) =>
      stage === Stage.STAGE_DIARIZATION && (status === StageStatus.STAGE_STATUS_PENDING || status === StageStatus.STAGE_STATUS_RUNNING),
  );

export const hasEnded = ({ endedRun }: WorkDocument<unknown>, run: number): boolean => endedRun >= run;
