import { z } from 'zod';
import { jobId, seconds, time } from '../http/schema.js';

export const JOB_STATUSES = ['queued', 'processing', 'completed', 'failed', 'canceled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const STAGES = ['ingest', 'transcription', 'diarization', 'summary', 'highlights', 'search'] as const;
export type StageName = (typeof STAGES)[number];

export const jobStatus = z.enum(JOB_STATUSES).meta({ id: 'JobStatus', description: 'completed, failed and canceled are terminal.' });

const failure = z
  .object({ code: z.string(), message: z.string(), retryable: z.boolean() })
  .meta({ id: 'Failure', description: 'What went wrong; switch on `code`.' });

const stage = z
  .object({
    status: z.enum(['pending', 'running', 'completed', 'failed', 'skipped', 'canceled']),
    started_at: time.optional(),
    completed_at: time.optional(),
    attempts: z.int(),
    engine: z.string().optional(),
    error: failure.optional(),
  })
  .meta({ id: 'Stage' });

const word = z
  .object({ start: seconds, end: seconds, text: z.string(), confidence: z.number(), speaker_id: z.string().optional() })
  .meta({ id: 'Word' });

export const segmentSchema = z
  .object({
    segment_id: z.string(),
    start: seconds,
    end: seconds,
    speaker_id: z.string().optional(),
    text: z.string(),
    confidence: z.number().meta({ description: '0 to 1.' }),
    words: z.array(word).optional(),
  })
  .meta({ id: 'Segment' });

export const transcriptSchema = z
  .object({
    text: z.string(),
    language: z.string(),
    duration: seconds,
    speakers: z.array(z.object({ speaker_id: z.string(), name: z.string(), talk_time: seconds })),
    segments: z.array(segmentSchema),
  })
  .meta({ id: 'Transcript' });

const media = z
  .object({
    duration: seconds,
    format: z.string(),
    codec: z.string(),
    size_bytes: z.int(),
    sample_rate: z.int(),
    channels: z.int(),
    has_video: z.boolean(),
    sha256: z.string(),
  })
  .meta({ id: 'Media', description: 'What was found in the file.' });

export const progressSchema = z.object({
  percent: z.number().min(0).max(100),
  stage: z.enum(STAGES).optional(),
  eta_seconds: z.number().optional(),
});

const jobFields = {
  job_id: jobId,
  status: jobStatus,
  created_at: time,
  started_at: time.optional(),
  completed_at: time.optional(),
  expires_at: time.optional(),
  audio_url: z.string().optional(),
  language: z.object({ requested: z.string().optional(), detected: z.string().optional(), confidence: z.number().optional() }),
  metadata: z.record(z.string(), z.string()),
  media: media.optional(),
  progress: progressSchema,
  stages: z.object(Object.fromEntries(STAGES.map((name) => [name, stage])) as Record<StageName, typeof stage>),
  error: failure.optional(),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  usage: z.object({ billed_seconds: z.number() }).optional(),
};

/** In lists, without the transcript. */
export const jobSummarySchema = z.object(jobFields).meta({ id: 'TranscriptionSummary' });

export const jobSchema = z
  .object({
    ...jobFields,
    transcript: transcriptSchema.optional().meta({ description: 'There as soon as the transcription stage has completed.' }),
  })
  .meta({ id: 'Transcription' });

const JOB_ID = 'job_01k9z3v4n8e7q2xw5t6r0ybhcd';

export const acceptedSchema = z
  .object({
    job_id: jobId,
    status: z.literal('queued'),
    created_at: time,
    links: z.object({ self: z.string(), events: z.string(), transcript: z.string() }),
  })
  .meta({
    id: 'AcceptedTranscription',
    example: {
      job_id: JOB_ID,
      status: 'queued',
      created_at: '2026-03-01T09:30:00.000Z',
      links: {
        self: `/api/v1/transcriptions/${JOB_ID}`,
        events: `/api/v1/transcriptions/${JOB_ID}/events`,
        transcript: `/api/v1/transcriptions/${JOB_ID}/transcript`,
      },
    },
  });

export type JobJson = z.output<typeof jobSummarySchema>;
export type SegmentJson = z.output<typeof segmentSchema>;
export type AcceptedJob = z.output<typeof acceptedSchema>;
