import { z } from 'zod';
import { jobId, seconds, time } from '../http/schema.js';
import { FAILURE_CODES, WARNING_CODES } from './failure-catalogue.js';
import { CHANNEL_MODE, JOB_STATUS, namesOf, STAGE, STAGE_STATUS, type StageName } from './job-names.js';

export const jobStatus = z.enum(namesOf(JOB_STATUS)).meta({ id: 'JobStatus', description: 'completed, failed and canceled are terminal.' });

export const failureSchema = z
  .object({
    code: z.string().meta({ description: FAILURE_CODES, example: 'media_unreachable' }),
    message: z.string(),
    retryable: z.boolean().meta({ description: 'True when a retry of the job may succeed.' }),
  })
  .meta({ id: 'Failure', description: 'The reason why the job or stage failed.' });

export const warningSchema = z.object({ code: z.string().meta({ description: WARNING_CODES, example: 'media_truncated' }), message: z.string() }).meta({ id: 'Warning' });

const stage = z
  .object({
    status: z.enum(namesOf(STAGE_STATUS)),
    started_at: time.optional(),
    completed_at: time.optional(),
    attempts: z.int(),
    engine: z.string().optional(),
    error: failureSchema.optional(),
  })
  .meta({ id: 'Stage' });

const channel = z.int().min(0).optional().meta({ description: 'The channel of the recording, from 0; absent when the channels are mixed.' });

const word = z
  .object({ start: seconds, end: seconds, text: z.string(), confidence: z.number(), speaker_id: z.string().optional(), channel })
  .meta({ id: 'Word' });

const segmentSchema = z
  .object({
    segment_id: z.string(),
    start: seconds,
    end: seconds,
    speaker_id: z.string().optional(),
    channel: channel.meta({ description: 'The channel of the recording, from 0; absent when the channels are mixed. Segments of different channels may overlap.' }),
    text: z.string(),
    confidence: z.number().meta({ description: 'A number from 0 to 1.' }),
    words: z.array(word).optional(),
  })
  .meta({ id: 'Segment' });

export const speakerSchema = z
  .object({ speaker_id: z.string(), name: z.string(), talk_time: seconds })
  .meta({ id: 'Speaker' });

const transcriptFields = { text: z.string(), language: z.string(), duration: seconds, speakers: z.array(speakerSchema) };

const transcriptSchema = z.object({ ...transcriptFields, segments: z.array(segmentSchema) }).meta({ id: 'Transcript' });

/** As a document, from which times can be left out. */
export const transcriptDocumentSchema = z
  .object({
    ...transcriptFields,
    speakers: transcriptFields.speakers.meta({ description: 'Absent with `speakers=false`.' }),
    segments: z.array(
      segmentSchema.extend({
        start: seconds.optional().meta({ description: 'Seconds; absent with `timestamps=false`.' }),
        end: seconds.optional().meta({ description: 'Seconds; absent with `timestamps=false`.' }),
      }).meta({ id: 'DocumentSegment' }),
    ),
  })
  .meta({ id: 'TranscriptDocument' });

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
  .meta({ id: 'Media', description: 'Properties of the media file.' });

const channelsSchema = z
  .object({
    requested: z.enum(namesOf(CHANNEL_MODE)).meta({ description: '`channels` of the request.' }),
    used: z.enum(['mix', 'split']).optional().meta({ description: 'Whether the channels are transcribed apart. Present once the media is decoded.' }),
    transcribed: z.int().min(1).optional().meta({ description: 'Number of channels that are transcribed apart; 1 when they are mixed. Present once the media is decoded.' }),
  })
  .meta({ id: 'Channels', description: 'How the channels of the recording are transcribed.' });

const progressSchema = z.object({
  percent: z.number().min(0).max(100),
  stage: z.enum(namesOf(STAGE)).optional(),
  eta_seconds: z.number().optional(),
});

const jobFields = {
  job_id: jobId,
  status: jobStatus,
  created_at: time,
  started_at: time.optional(),
  completed_at: time.optional(),
  expires_at: time.optional(),
  audio_url: z.string().optional().meta({ description: 'The URL without query and fragment, which may contain secrets. Use `metadata` to tell such jobs apart.' }),
  file_name: z.string().optional().meta({ description: 'The name of an uploaded file.' }),
  language: z.object({ requested: z.string().optional(), detected: z.string().optional(), confidence: z.number().optional() }),
  metadata: z.record(z.string(), z.string()),
  media: media.optional(),
  channels: channelsSchema,
  progress: progressSchema,
  stages: z.object(Object.fromEntries(namesOf(STAGE).map((name) => [name, stage])) as Record<StageName, typeof stage>),
  error: failureSchema.optional(),
  warnings: z.array(warningSchema),
  usage: z.object({ billed_seconds: z.number() }).optional(),
};

/** In lists, without the transcript. */
export const jobSummarySchema = z.object(jobFields).meta({ id: 'TranscriptionSummary' });

export const jobSchema = z
  .object({
    ...jobFields,
    transcript: transcriptSchema.optional().meta({ description: 'Present as soon as the transcription stage has completed.' }),
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
export type AcceptedJob = z.output<typeof acceptedSchema>;
