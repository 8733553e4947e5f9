import { common, type ingest } from '@parlance/contracts';
import { present } from '../http/schema.js';
import { STAGES, type JobJson, type JobStatus, type StageName } from './job-schema.js';

const { JobStatus: Status, Stage, StageStatus } = common;

const STATUS: Partial<Record<common.JobStatus, JobStatus>> = {
  [Status.JOB_STATUS_QUEUED]: 'queued',
  [Status.JOB_STATUS_PROCESSING]: 'processing',
  [Status.JOB_STATUS_COMPLETED]: 'completed',
  [Status.JOB_STATUS_FAILED]: 'failed',
  [Status.JOB_STATUS_CANCELED]: 'canceled',
};

export const STATUS_MESSAGE: Record<JobStatus, common.JobStatus> = {
  queued: Status.JOB_STATUS_QUEUED,
  processing: Status.JOB_STATUS_PROCESSING,
  completed: Status.JOB_STATUS_COMPLETED,
  failed: Status.JOB_STATUS_FAILED,
  canceled: Status.JOB_STATUS_CANCELED,
};

const STAGE: Partial<Record<common.Stage, StageName>> = {
  [Stage.STAGE_INGEST]: 'ingest',
  [Stage.STAGE_TRANSCRIPTION]: 'transcription',
  [Stage.STAGE_DIARIZATION]: 'diarization',
  [Stage.STAGE_SUMMARY]: 'summary',
  [Stage.STAGE_HIGHLIGHTS]: 'highlights',
  [Stage.STAGE_SEARCH]: 'search',
};

type StageJson = JobJson['stages'][StageName];

const STAGE_STATUS: Partial<Record<common.StageStatus, StageJson['status']>> = {
  [StageStatus.STAGE_STATUS_PENDING]: 'pending',
  [StageStatus.STAGE_STATUS_RUNNING]: 'running',
  [StageStatus.STAGE_STATUS_COMPLETED]: 'completed',
  [StageStatus.STAGE_STATUS_FAILED]: 'failed',
  [StageStatus.STAGE_STATUS_SKIPPED]: 'skipped',
  [StageStatus.STAGE_STATUS_CANCELED]: 'canceled',
};

export const statusOf = ({ status }: ingest.Job): JobStatus => STATUS[status] ?? 'queued';

export const isTerminal = (status: JobStatus): boolean => status !== 'queued' && status !== 'processing';

export const hasTranscript = ({ stages }: ingest.Job): boolean =>
  stages.some(({ stage, status }) => stage === Stage.STAGE_TRANSCRIPTION && status === StageStatus.STAGE_STATUS_COMPLETED);

/** The job as the public API shows it, without its transcript. */
export function jobJson(job: ingest.Job): JobJson {
  const { options, media, error } = job;
  return present({
    job_id: job.jobId,
    status: statusOf(job),
    created_at: timeText(job.createdAt) ?? '',
    started_at: timeText(job.startedAt),
    completed_at: timeText(job.completedAt),
    expires_at: timeText(job.expiresAt),
    audio_url: job.audioUrl,
    language: present({ requested: options?.language, detected: job.detectedLanguage, confidence: job.languageConfidence }),
    metadata: options?.metadata ?? {},
    media: media && mediaJson(media),
    progress: progressJson(job),
    stages: stagesJson(job.stages),
    error: error && failureJson(error),
    warnings: job.warnings.map(({ code, message }) => ({ code, message })),
    usage: job.billedSeconds === undefined ? undefined : { billed_seconds: job.billedSeconds },
  });
}

export function progressJson({ progress }: ingest.Job): JobJson['progress'] {
  return present({ percent: progress?.percent ?? 0, stage: progress && STAGE[progress.stage], eta_seconds: progress?.etaSeconds });
}

export const failureJson = ({ code, message, retryable }: common.Failure) => ({ code, message, retryable });

const mediaJson = (media: common.Media) => ({
  duration: media.duration,
  format: media.format,
  codec: media.codec,
  size_bytes: media.sizeBytes,
  sample_rate: media.sampleRate,
  channels: media.channels,
  has_video: media.hasVideo,
  sha256: media.sha256,
});

function stagesJson(states: readonly common.StageState[]): JobJson['stages'] {
  const byName = new Map(states.map((state) => [STAGE[state.stage], stageJson(state)]));
  const pending: StageJson = { status: 'pending', attempts: 0 };
  return Object.fromEntries(STAGES.map((name) => [name, byName.get(name) ?? pending])) as JobJson['stages'];
}

const stageJson = (state: common.StageState): StageJson =>
  present({
    status: STAGE_STATUS[state.status] ?? 'pending',
    started_at: timeText(state.startedAt),
    completed_at: timeText(state.completedAt),
    attempts: state.attempts,
    engine: state.engine,
    error: state.error && failureJson(state.error),
  });

export const timeText = (time: Date | undefined): string | undefined => time?.toISOString();
