import { common, type ingest } from '@parlance/contracts';

const { JobStatus, Stage, StageStatus } = common;

export const isAtWork = ({ status }: ingest.Job): boolean => status === JobStatus.JOB_STATUS_QUEUED || status === JobStatus.JOB_STATUS_PROCESSING;

/** True while the job waits for the end of the stage. */
export const isOpen = ({ stages }: ingest.Job, wanted: common.Stage): boolean =>
  stages.some(({ stage, status }) => stage === wanted && (status === StageStatus.STAGE_STATUS_PENDING || status === StageStatus.STAGE_STATUS_RUNNING));

/** True while diarization may still assign speakers. */
export const awaitsSpeakers = (job: ingest.Job): boolean => isOpen(job, Stage.STAGE_DIARIZATION);
