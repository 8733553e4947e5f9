import { JobStatus, Stage, StageStatus } from './generated/parlance/common/v1/job.js';

/** The states of a job, by the names that the API and the stored jobs have for them. */
export const JOB_STATUS = {
  queued: JobStatus.JOB_STATUS_QUEUED,
  processing: JobStatus.JOB_STATUS_PROCESSING,
  completed: JobStatus.JOB_STATUS_COMPLETED,
  failed: JobStatus.JOB_STATUS_FAILED,
  canceled: JobStatus.JOB_STATUS_CANCELED,
} as const;

/** The stages of a job, by name, in the order in which they are shown. */
export const STAGE = {
  ingest: Stage.STAGE_INGEST,
  transcription: Stage.STAGE_TRANSCRIPTION,
  diarization: Stage.STAGE_DIARIZATION,
  summary: Stage.STAGE_SUMMARY,
  highlights: Stage.STAGE_HIGHLIGHTS,
  chapters: Stage.STAGE_CHAPTERS,
  entities: Stage.STAGE_ENTITIES,
  audio_redaction: Stage.STAGE_AUDIO_REDACTION,
  search: Stage.STAGE_SEARCH,
  sealing: Stage.STAGE_SEALING,
} as const;

/** The states of a stage, by name. */
export const STAGE_STATUS = {
  pending: StageStatus.STAGE_STATUS_PENDING,
  running: StageStatus.STAGE_STATUS_RUNNING,
  completed: StageStatus.STAGE_STATUS_COMPLETED,
  failed: StageStatus.STAGE_STATUS_FAILED,
  skipped: StageStatus.STAGE_STATUS_SKIPPED,
  canceled: StageStatus.STAGE_STATUS_CANCELED,
} as const;
