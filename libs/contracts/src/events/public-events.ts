import { JobStatus, Stage } from '../generated/parlance/common/v1/job.js';
import { JobEvent, SpeakersChange, type TranscriptCompleted } from '../generated/parlance/events/v1/events.js';
import type { EVENTS, EventData, EventType, TOPICS } from './event-catalogue.js';

type PublicTopic = { [T in keyof typeof TOPICS]: (typeof TOPICS)[T]['visibility'] extends 'public' ? T : never }[keyof typeof TOPICS];
/** Types on public topics; each needs a description for those who read them. */
export type PublicEventType = { [K in EventType]: (typeof EVENTS)[K]['topic'] extends PublicTopic ? K : never }[EventType];

interface PublicEvent<T> {
  /** A sentence for other teams: when the event is published and what it means. */
  summary: string;
  /** The service that publishes it. */
  source: string;
  example: T;
}

const PODCAST: JobEvent = JobEvent.fromPartial({
  jobId: 'job_01JC8Y5Q4T9ZK3M7R2V6W0X1AB',
  accountId: 'acc_01JC8XZ0N5D4F7G9H2J6K8M3PQ',
  status: JobStatus.JOB_STATUS_PROCESSING,
  metadata: { episode: '42' },
  callbackUrl: 'https://podcasts.example.com/hooks/parlance',
  progress: { percent: 0, stage: Stage.STAGE_INGEST },
  occurredAt: new Date('2026-03-02T09:30:00.000Z'),
  version: 1,
});

const { jobId, accountId } = PODCAST;
const at = (time: string): Date => new Date(`2026-03-02T${time}Z`);
const PROGRESS_OF_ALL = { percent: 100, stage: Stage.STAGE_SEARCH };

const job = (summary: string, changes: Partial<JobEvent>): PublicEvent<JobEvent> => ({
  summary,
  source: 'ingest',
  example: { ...PODCAST, ...changes },
});

const TRANSCRIPT: TranscriptCompleted = {
  jobId,
  accountId,
  run: 1,
  language: 'en',
  detectedLanguage: 'en',
  languageConfidence: 0.98,
  duration: 1834.56,
  segmentCount: 312,
  wordCount: 4711,
  engine: 'openai:whisper-1',
  options: {
    language: undefined,
    diarization: undefined,
    summary: { enabled: true, format: 'bullets', template: undefined, language: undefined },
    highlights: true,
    chapters: true,
    entities: true,
    vocabulary: ['Parlance'],
    metadata: { episode: '42' },
    retentionHours: 720,
  },
  warnings: [],
  version: 1,
};

/** The text of each event type in the description of the public topics, beside its schema. */
export const PUBLIC_EVENTS: { [K in PublicEventType]: PublicEvent<EventData<K>> } = {
  'job.created': job('A job was accepted and is queued.', { status: JobStatus.JOB_STATUS_QUEUED }),
  'job.started': job('Processing of the job started; published again after each retry of it.', {
    sequence: 1,
    version: 2,
    occurredAt: at('09:30:01.250'),
  }),
  'job.progressed': job('The progress of the job changed, or a retry queued it again. There may be many of these events between two others, or none.', {
    version: 7,
    duration: 1834.56,
    progress: { percent: 46.5, stage: Stage.STAGE_TRANSCRIPTION, etaSeconds: 74 },
    occurredAt: at('09:31:10.000'),
  }),
  'job.transcript_ready': job('The transcript can be read, while later stages continue.', {
    sequence: 2,
    version: 12,
    duration: 1834.56,
    progress: { percent: 90, stage: Stage.STAGE_SUMMARY },
    occurredAt: at('09:32:20.000'),
  }),
  'job.stage_failed': job('An add-on stage failed; `stage` and `error` give the reason. The job continues without it.', {
    sequence: 3,
    version: 13,
    duration: 1834.56,
    progress: { percent: 90, stage: Stage.STAGE_SUMMARY },
    stage: Stage.STAGE_SUMMARY,
    error: { code: 'engine_failed', message: 'The summary engine did not respond.', retryable: true },
    occurredAt: at('09:32:40.000'),
  }),
  'job.add_on_completed': job('An add-on stage that was ordered or retried after the job had completed has ended without a failure; `stage` names it.', {
    sequence: 5,
    version: 18,
    status: JobStatus.JOB_STATUS_COMPLETED,
    duration: 1834.56,
    progress: PROGRESS_OF_ALL,
    stage: Stage.STAGE_SUMMARY,
    occurredAt: at('11:02:10.000'),
  }),
  'job.completed': job('The job is completed: its transcript and the other requested results can be read.', {
    sequence: 4,
    version: 14,
    status: JobStatus.JOB_STATUS_COMPLETED,
    duration: 1834.56,
    progress: PROGRESS_OF_ALL,
    warnings: [{ code: 'summary_failed', message: 'The stage summary failed: The summary engine did not respond.' }],
    occurredAt: at('09:32:45.000'),
  }),
  'job.failed': job('The job ended without a transcript; `error` gives the reason. A retry may start it again.', {
    sequence: 2,
    version: 3,
    status: JobStatus.JOB_STATUS_FAILED,
    error: { code: 'media_no_audio', message: 'The media has no audio.', retryable: false },
    occurredAt: at('09:30:04.000'),
  }),
  'job.canceled': job('The job was canceled by its owner.', {
    sequence: 2,
    version: 5,
    status: JobStatus.JOB_STATUS_CANCELED,
    occurredAt: at('09:30:30.000'),
  }),
  'job.summary_completed': job('A summary that was requested apart from the job is written; `summary_id` names it.', {
    sequence: 5,
    version: 15,
    status: JobStatus.JOB_STATUS_COMPLETED,
    duration: 1834.56,
    progress: PROGRESS_OF_ALL,
    summaryId: 'sum_01JC8Z0A1B2C3D4E5F6G7H8J9K',
    occurredAt: at('10:02:00.000'),
  }),
  'job.summary_failed': job('A summary that was requested apart from the job was given up; `summary_id` and `error` say which and why.', {
    sequence: 5,
    version: 15,
    status: JobStatus.JOB_STATUS_COMPLETED,
    duration: 1834.56,
    progress: PROGRESS_OF_ALL,
    summaryId: 'sum_01JC8Z0A1B2C3D4E5F6G7H8J9K',
    error: { code: 'engine_failed', message: 'The summary engine did not respond.', retryable: true },
    occurredAt: at('10:02:00.000'),
  }),
  'job.transcript_edited': job('The transcript of the job was edited; `revision` is the one that can be read now.', {
    sequence: 5,
    version: 15,
    status: JobStatus.JOB_STATUS_COMPLETED,
    duration: 1834.56,
    progress: PROGRESS_OF_ALL,
    revision: 1,
    occurredAt: at('11:15:00.000'),
  }),
  'job.content_erased': {
    summary: 'The results of the job are sealed for its caller, or it ended without any: delete every copy of its text that you hold. The job itself stays.',
    source: 'ingest',
    example: JobEvent.fromPartial({ jobId, accountId, status: JobStatus.JOB_STATUS_PROCESSING, occurredAt: at('09:32:45.000'), version: 14, run: 1, sealed: true }),
  },
  'job.deleted': {
    summary: 'The job and all of its data is being erased: delete every copy of its data that you hold.',
    source: 'ingest',
    example: JobEvent.fromPartial({
      jobId,
      accountId,
      status: JobStatus.JOB_STATUS_COMPLETED,
      occurredAt: at('18:00:00.000'),
      version: 15,
      erasureId: 'era_01JC9A7V3B8C5D2E6F4G1H9J0K',
    }),
  },
  'batch.completed': {
    summary: 'Each item of a batch has ended: its job ended or was deleted, or no job was created for it. Published once for each batch.',
    source: 'gateway',
    example: {
      batchId: 'bat_01JC8Y5Q4T9ZK3M7R2V6W0X1AB',
      accountId,
      canceled: false,
      callbackUrl: 'https://podcasts.example.com/hooks/parlance',
      counts: { total: 1000, completed: 996, failed: 1, canceled: 0, refused: 3, deleted: 0 },
      createdAt: at('09:30:00.000'),
      completedAt: at('11:04:12.000'),
    },
  },
  'transcript.completed': {
    summary: 'A transcript was stored and can be read through the API; published again with a higher `run` after a retry.',
    source: 'transcription',
    example: TRANSCRIPT,
  },
  'transcript.speakers_changed': {
    summary: 'The speakers of a transcript were detected, renamed or merged: read the transcript again if you store its speakers.',
    source: 'transcription',
    example: {
      jobId,
      accountId,
      version: 3,
      change: SpeakersChange.SPEAKERS_CHANGE_MERGED,
      speakerIds: ['S1', 'S2'],
      mergedFrom: 'S3',
      mergedInto: 'S1',
    },
  },
  'transcript.edited': {
    summary: 'The text, the segments or the speakers of segments were edited, or an earlier revision was restored: read the transcript again if you store it.',
    source: 'transcription',
    example: { jobId, accountId, version: 4, revision: 1, keyId: 'key_01JC8XZ1A7B3C9D5E2F8G4H6J0', action: 'edited', changedSegments: 1 },
  },
  'usage.recorded': {
    summary: 'A job ended and its account is billed for what was transcribed. Count each `usageId` once.',
    source: 'ingest',
    example: {
      usageId: 'use_01JC8Y5Q4T9ZK3M7R2V6W0X1AB_1',
      accountId,
      jobId,
      run: 1,
      keyId: 'key_01JC8XZ1A7B3C9D5E2F8G4H6J0',
      operation: 'transcription',
      milliseconds: 1_834_560,
      day: '2026-03-02',
      occurredAt: at('09:32:45.000'),
    },
  },
};

export const PUBLIC_EVENT_TYPES = Object.keys(PUBLIC_EVENTS) as PublicEventType[];
