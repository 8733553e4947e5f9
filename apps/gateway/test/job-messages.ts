import { common, ingest } from '@parlance/contracts';

const { Stage, StageStatus, JobStatus } = common;

const STAGES = [
  Stage.STAGE_INGEST,
  Stage.STAGE_TRANSCRIPTION,
  Stage.STAGE_DIARIZATION,
  Stage.STAGE_SUMMARY,
  Stage.STAGE_HIGHLIGHTS,
  Stage.STAGE_SEARCH,
];

/** A job as ingest gives it right after its creation; that of a live session is processing. */
export function queuedJob({ jobId, accountId, source, callbackUrl, callbackInclude, options, projectId }: ingest.CreateJobRequest): ingest.Job {
  return ingest.Job.fromPartial({
    jobId,
    accountId,
    status: JobStatus.JOB_STATUS_QUEUED,
    createdAt: new Date(),
    ...(source?.$case === 'audioUrl' && { audioUrl: source.value }),
    ...(source?.$case === 'upload' && { fileName: source.value.fileName, uploadIds: source.value.uploadIds }),
    ...(source?.$case === 'live' && { status: JobStatus.JOB_STATUS_PROCESSING, live: { ...source.value, open: true } }),
    callbackInclude: callbackInclude?.names,
    callbackUrl,
    options,
    projectId,
    stages: STAGES.map((stage) => ({ stage, status: StageStatus.STAGE_STATUS_PENDING })),
    progress: { percent: 0, stage: Stage.STAGE_INGEST },
    version: 1,
    run: 1,
  });
}

function withStage(job: ingest.Job, changed: common.Stage, status: common.StageStatus): ingest.Job {
  return { ...job, stages: job.stages.map((state) => (state.stage === changed ? { ...state, status } : state)) };
}

/** With its transcript, and nothing else that was asked for. */
export function completed(job: ingest.Job): ingest.Job {
  const transcribed = [Stage.STAGE_INGEST, Stage.STAGE_TRANSCRIPTION].reduce((done, stage) => withStage(done, stage, StageStatus.STAGE_STATUS_COMPLETED), job);
  const isOpen = (status: common.StageStatus) => status === StageStatus.STAGE_STATUS_PENDING || status === StageStatus.STAGE_STATUS_RUNNING;
  return {
    ...transcribed,
    stages: transcribed.stages.map((state) => (isOpen(state.status) ? { ...state, status: StageStatus.STAGE_STATUS_SKIPPED } : state)),
    status: JobStatus.JOB_STATUS_COMPLETED,
    progress: { percent: 100, stage: Stage.STAGE_TRANSCRIPTION },
    completedAt: new Date(),
  };
}
