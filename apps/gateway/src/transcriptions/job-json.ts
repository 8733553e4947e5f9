import { type common, type ingest, JOB_STATUS, STAGE, STAGE_STATUS } from '@parlance/contracts';
import { legalHoldJson } from '../holds/legal-hold-schema.js';
import { present } from '../http/schema.js';
import { canRead, type Caller } from '../keys/authenticator.js';
import { optionsJson } from './asked-options.js';
import { liveJobJson } from './live-job-json.js';
import { linksOf } from './job-links.js';
import { CHANNEL_MODE, namesByMessage, namesOf, PRIORITY, type JobStatus, type StageName } from './job-names.js';
import type { JobJson } from './job-schema.js';
import { isSealed } from './sealed-jobs.js';

const jobStatusName = namesByMessage(JOB_STATUS);
export const stageName = namesByMessage(STAGE);
const channelModeName = namesByMessage(CHANNEL_MODE);
const priorityName = namesByMessage(PRIORITY);
const stageStatusName = namesByMessage(STAGE_STATUS);

type StageJson = JobJson['stages'][StageName];

export const statusOf = ({ status }: ingest.Job): JobStatus => jobStatusName(status) ?? 'queued';

export const isTerminal = (status: JobStatus): boolean => status !== 'queued' && status !== 'processing';

/** True when the job will not change by itself: its add-ons may be retried after it was completed. */
export const isOver = (job: ingest.Job): boolean =>
  isTerminal(statusOf(job)) && !(statusOf(job) === 'completed' && job.stages.some(({ status }) => status === STAGE_STATUS.pending || status === STAGE_STATUS.running));

/** True when the transcript can be read here: never that of a sealed job. */
export const hasTranscript = (job: ingest.Job): boolean =>
  !isSealed(job) && job.stages.some(({ stage, status }) => stage === STAGE.transcription && status === STAGE_STATUS.completed);

/** The job as the public API shows it, without its transcript. */
export function jobJson(job: ingest.Job): JobJson {
  const { options, media, error } = job;
  return present({
    job_id: job.jobId,
    kind: job.live ? 'live' : 'file',
    status: statusOf(job),
    created_at: timeText(job.createdAt) ?? '',
    started_at: timeText(job.startedAt),
    completed_at: timeText(job.completedAt),
    expires_at: timeText(job.expiresAt),
    audio_url: job.audioUrl,
    media_expires_at: timeText(job.mediaExpiresAt),
    callback_url: job.callbackUrl,
    title: job.title,
    recorded_at: timeText(job.recordedAt),
    file_name: job.fileName,
    model: options?.model ?? DEFAULT_MODEL,
    language: languageJson(job),
    metadata: options?.metadata ?? {},
    media: media && mediaJson(media),
    channels: channelsJson(job),
    priority: priorityName(options?.priority ?? PRIORITY.normal) ?? 'normal',
    progress: progressJson(job),
    stages: stagesJson(job.stages),
    error: error && failureJson(error),
    warnings: job.warnings.map(({ code, message }) => ({ code, message })),
    live: job.live && liveJobJson(job.live),
    batch_id: job.batchId,
    project_id: job.projectId,
    usage: job.billedSeconds === undefined ? undefined : { billed_seconds: job.billedSeconds },
  });
}

/** The job as a caller that changed it may see it: only readers see what people wrote about it. */
export const changedJobJson = (job: ingest.Job, caller: Caller): JobJson => jobJson(canRead(caller) ? job : withoutContent(job));

/** The state of its work alone. */
const withoutContent = (job: ingest.Job): ingest.Job => ({
  ...job,
  audioUrl: undefined,
  callbackUrl: undefined,
  title: undefined,
  recordedAt: undefined,
  fileName: undefined,
  detectedLanguage: undefined,
  languageConfidence: undefined,
  transcriptLanguage: undefined,
  warnings: [],
  options: job.options && { ...job.options, metadata: {}, language: undefined, languageDetection: undefined },
});

/** A single job as the public API shows it: with its options and links. */
export const wholeJobJson = (job: ingest.Job, publicUrl: string | undefined) => ({ ...jobJson(job), ...sourceJson(job), options: optionsJson(job.options), links: linksOf(job.jobId, publicUrl) });

/** The fields that only a single job shows: the uploads that the request named, its receiver's contents, its hold. */
function sourceJson({ uploadIds, callbackInclude, options, legalHold }: ingest.Job) {
  const files = uploadIds.map((id, index) => present({ upload_id: id, speaker: options?.channels?.names[index] }));
  return present({
    upload_id: uploadIds.length === 1 ? uploadIds[0] : undefined,
    files: uploadIds.length > 1 ? files : undefined,
    callback_include: callbackInclude.length > 0 ? callbackInclude : undefined,
    legal_hold: legalHoldJson(legalHold),
  });
}

function channelsJson({ options, media }: ingest.Job): JobJson['channels'] {
  const requested = channelModeName(options?.channels?.mode ?? CHANNEL_MODE.mix) ?? 'mix';
  if (!media) return { requested };
  const { splitChannels: transcribed = 1 } = media;
  return { requested, used: transcribed > 1 ? 'split' : 'mix', transcribed };
}

function languageJson({ options, detectedLanguage, languageConfidence, transcriptLanguage }: ingest.Job): JobJson['language'] {
  const { expected, minConfidence, fallback } = options?.languageDetection ?? {};
  return present({
    requested: options?.language,
    expected,
    min_confidence: minConfidence,
    fallback,
    detected: detectedLanguage,
    confidence: languageConfidence,
    transcript: transcriptLanguage,
  });
}

/** The name that GET /models gives the engine of a job that names none. */
const DEFAULT_MODEL = 'default';

export function progressJson({ progress }: ingest.Job): JobJson['progress'] {
  return present({ percent: progress?.percent ?? 0, stage: progress && stageName(progress.stage), eta_seconds: progress?.etaSeconds });
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
  ...(media.sealed && { sealed: true }),
});

function stagesJson(states: readonly common.StageState[]): JobJson['stages'] {
  const byName = new Map(states.map((state) => [stageName(state.stage), stageJson(state)]));
  const pending: StageJson = { status: 'pending', attempts: 0 };
  return Object.fromEntries(namesOf(STAGE).map((name) => [name, byName.get(name) ?? pending])) as JobJson['stages'];
}

const stageJson = (state: common.StageState): StageJson =>
  present({
    status: stageStatusName(state.status) ?? 'pending',
    started_at: timeText(state.startedAt),
    completed_at: timeText(state.completedAt),
    attempts: state.attempts,
    engine: state.engine,
    error: state.error && failureJson(state.error),
  });

export const timeText = (time: Date | undefined): string | undefined => time?.toISOString();
