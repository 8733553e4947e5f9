import { JOB_STATUS, STAGE, STAGE_STATUS } from '@parlance/contracts';
import { z } from 'zod';
import { legalHoldSchema } from '../holds/legal-hold-schema.js';
import { batchId, confidence, endSeconds, engineName, jobId, languageTag, metadataPairs, openEnum, projectId, seconds, segmentId, speakerName, speakerRef, startSeconds, time } from '../http/schema.js';
import { entityMethod } from './entity-method.js';
import { failureCode, warningCode } from './failure-catalogue.js';
import { jobOptionsSchema } from './asked-options.js';
import { transcriptionLinks } from './job-links.js';
import { shownAudio } from './live-audio-schema.js';
import { redactionPolicy } from './redaction-names.js';
import { CHANNEL_MODE, namesOf, PRIORITY, type StageName } from './job-names.js';

/** The greatest integer of 32 bits. */
const MAX_INT32 = 2 ** 31 - 1;

export const jobStatus = z.enum(namesOf(JOB_STATUS)).meta({ id: 'JobStatus', description: 'The state of a job; completed, failed and canceled are terminal.' });
export const stageName = z.enum(namesOf(STAGE)).meta({ id: 'StageName', description: 'A stage of the work on a job.' });
export const channelMode = z.enum(namesOf(CHANNEL_MODE)).meta({
  id: 'ChannelMode',
  description: '`mix`, the default: the channels are mixed to one. `split`: each of up to 8 is transcribed apart; it is a speaker, and counts as a recording in `usage`. `auto`: `split` when there are two that differ, else `mix`.',
});
export const jobPriority = z.enum(namesOf(PRIORITY)).meta({ id: 'JobPriority', description: 'When the work is done. `batch`: after the normal jobs of the account, for which it waits an hour at most.' });
const channelUse = z.enum(['mix', 'split']).meta({ id: 'ChannelUse', description: 'How the channels of a recording are transcribed: mixed to one, or each apart.' });
const stageStatus = z.enum(namesOf(STAGE_STATUS)).meta({ id: 'StageStatus', description: 'The state of a stage; completed, failed, skipped and canceled are terminal.' });

const jobStatusField = openEnum(jobStatus).meta({ description: 'The state of the job.' });

export const failureSchema = z
  .object({
    code: openEnum(failureCode).meta({ description: 'Branch on this code.', example: 'media_unreachable' }),
    message: z.string().meta({ description: 'The reason in words, for people.', example: 'The URL could not be reached.' }),
    retryable: z.boolean().meta({ description: 'True when a retry of the job may succeed.' }),
  })
  .meta({ id: 'Failure', description: 'The reason why the job or stage failed.' });

export const warningSchema = z
  .object({
    code: openEnum(warningCode).meta({ description: 'Branch on this code.', example: 'media_truncated' }),
    message: z.string().meta({ description: 'The warning in words, for people.', example: 'The file ends before its stated length.' }),
  })
  .meta({ id: 'Warning', description: 'Something that was done differently than requested, or could not be done.' });

const stage = z
  .object({
    status: openEnum(stageStatus).meta({ description: 'The state of the stage.' }),
    started_at: time.optional(),
    completed_at: time.optional().meta({ description: 'When it ended. Absent when it never began.' }),
    attempts: z.int().meta({ description: 'The number of attempts so far.' }),
    engine: engineName.optional(),
    error: failureSchema.optional().meta({ description: 'The reason, when the stage failed.' }),
  })
  .meta({ id: 'Stage', description: 'How far one stage of a job is.' });

export const channelNumber = z.int().min(0).max(MAX_INT32).meta({ id: 'ChannelNumber', description: 'The channel of the recording, from 0; absent when they are mixed.' });
const WORD_CONFIDENCE = 'From 0 to 1, to be compared only between words of one engine. Absent when the engine gives none.';

export const wordId = z.string().meta({ description: 'The id of the word, unique within its transcript. Edits keep it.', example: '12.3' });

const word = z
  .object({
    word_id: wordId,
    start: startSeconds,
    end: endSeconds,
    text: z.string().meta({ description: 'The word with its punctuation.' }),
    confidence: confidence.optional().meta({ description: WORD_CONFIDENCE }),
    speaker_id: speakerRef.optional(),
    channel: channelNumber.optional(),
    estimated: z.literal(true).optional().meta({ description: 'An editor wrote the word: its time is estimated.' }),
    redacted: openEnum(redactionPolicy).optional().meta({ description: 'The policy of the words that this one stands for.' }),
    redacted_by: openEnum(entityMethod).optional().meta({ description: 'What found them.' }),
    raw: z.string().optional().meta({ description: 'The words of the engine, when `text` differs; empty when they are those of the word before.' }),
  })
  .meta({ id: 'Word', description: 'A word of a segment with its time.' });

export const segmentSchema = z
  .object({
    segment_id: segmentId,
    start: startSeconds,
    end: endSeconds,
    speaker_id: speakerRef.optional(),
    channel: channelNumber.optional(),
    text: z.string().meta({ description: 'The text of the segment.' }),
    confidence: confidence.optional().meta({ description: 'The mean confidence of its words, from 0 to 1. Absent when the engine gives none.' }),
    language: languageTag.optional().meta({ description: 'The language that was detected in this part of the recording (BCP 47), if any.' }),
    words: z.array(word).optional().meta({ description: 'The words of the segment, when the request includes them.' }),
  })
  .meta({ id: 'Segment', description: 'A piece of a transcript, spoken by one speaker.' });

export const speakerSchema = z
  .object({
    speaker_id: speakerRef.meta({ description: 'The id of the speaker within the transcript.', example: 'S1' }),
    name: speakerName,
    talk_time: seconds.meta({ description: 'The seconds for which the speaker speaks.' }),
  })
  .meta({ id: 'Speaker', description: 'A speaker of a transcript.' });

const formatting = openEnum(z.enum(['engine', 'model', 'rules', 'none']).meta({ id: 'Formatting', description: 'What wrote punctuation and capitals.' }));

const redactedCounts = z.record(z.string(), z.int().min(1)).meta({ id: 'RedactedCounts', description: 'Redacted words, by policy.', example: { person: 2 } });

const transcriptFields = {
  revision: z.int().min(0).max(MAX_INT32).meta({ description: 'The revision of the text; 0 is the recognised text.' }),
  text: z.string().meta({ description: 'The whole text.' }),
  language: languageTag,
  duration: seconds.meta({ description: 'The duration of the media in seconds.' }),
  formatting: formatting.optional().meta({ description: 'Absent in older ones.' }),
  redacted: redactedCounts.optional(),
  speakers: z.array(speakerSchema).meta({ description: 'The speakers in order of first appearance; empty until diarization has completed.' }),
};

const segments = { description: 'The segments in order of time.' };

export const transcriptSchema = z.object({ ...transcriptFields, segments: z.array(segmentSchema).meta(segments) }).meta({ id: 'Transcript', description: 'The transcript of a recording.' });

/** As a document, from which times can be left out. */
export const transcriptDocumentSchema = z
  .object({
    ...transcriptFields,
    speakers: transcriptFields.speakers.meta({ description: 'Absent with `speakers=false`.' }),
    segments: z
      .array(
        segmentSchema.extend({
          start: seconds.optional().meta({ description: 'Seconds; absent with `timestamps=false`.' }),
          end: seconds.optional().meta({ description: 'Seconds; absent with `timestamps=false`.' }),
        }).meta({ id: 'DocumentSegment', description: 'A segment of a transcript as a document.' }),
      )
      .meta(segments),
  })
  .meta({ id: 'TranscriptDocument', description: 'A transcript as a JSON document.' });

const media = z
  .object({
    duration: seconds.meta({ description: 'The duration in seconds.' }),
    format: z.string().meta({ description: 'The format of the file, such as mp3.' }),
    codec: z.string().meta({ description: 'The codec of its audio.' }),
    size_bytes: z.int().meta({ description: 'The size of the file in bytes.' }),
    sample_rate: z.int().max(MAX_INT32).meta({ description: 'Samples per second and channel.' }),
    channels: z.int().max(MAX_INT32).meta({ description: 'The number of audio channels.' }),
    has_video: z.boolean().meta({ description: 'True when the file also contains video.' }),
    sha256: z.string().meta({ description: 'The SHA-256 of the file, in hexadecimal.' }),
    sealed: z.boolean().optional().meta({ description: 'True when the client encrypted the file.' }),
  })
  .meta({ id: 'Media', description: 'Properties of the media file.' });

const channelsSchema = z
  .object({
    requested: openEnum(channelMode).meta({ description: 'As requested.' }),
    used: openEnum(channelUse).optional().meta({ description: 'What was done, once the media is decoded.' }),
    transcribed: z.int().min(1).max(MAX_INT32).optional().meta({ description: 'The number of channels that are transcribed; 1 when they are mixed.' }),
  })
  .meta({ id: 'JobChannels', description: 'How the channels of the recording are transcribed.' });

export const progressSchema = z
  .object({
    percent: z.number().min(0).max(100).meta({ description: 'How much of the work is done, from 0 to 100; of a failed or canceled job, how much was done.' }),
    stage: openEnum(stageName).optional().meta({ description: 'The stage that is being worked on, or in which the job failed or was canceled.' }),
    eta_seconds: z.number().optional().meta({ description: 'An estimate of the seconds until the job completes.' }),
  })
  .meta({ id: 'Progress', description: 'How far a job is.' });

const jobLanguage = z
  .object({
    requested: languageTag.optional().meta({ description: 'The language that the request named (BCP 47).' }),
    expected: z.array(languageTag).optional().meta({ description: 'The languages to which the request limited the detection.' }),
    min_confidence: z.number().optional().meta({ description: 'The confidence below which a detection is uncertain, as the request gave it.', example: 0.6 }),
    fallback: languageTag.optional().meta({ description: 'The language for uncertain parts, as the request gave it.' }),
    detected: languageTag.optional().meta({ description: 'The language that was detected in most of the speech, if any.' }),
    confidence: confidence.optional().meta({ description: 'From 0 to 1: the share of speech in this language, times the confidence of the engine, if it gives one.' }),
    transcript: languageTag.optional().meta({ description: 'The language of the transcript; `und` when it is not known.' }),
  })
  .meta({ id: 'JobLanguage', description: 'The language of a recording: as requested, as detected, and of its transcript.', example: { detected: 'en', confidence: 0.93, transcript: 'en' } });

const stages = z
  .object(Object.fromEntries(namesOf(STAGE).map((name) => [name, stage.meta({ description: `\`${name}\`.` })])) as Record<StageName, typeof stage>)
  .meta({ id: 'Stages', description: 'The stages of a job by name.' });

export const jobKind = z.enum(['file', 'live']).meta({ id: 'JobKind', description: 'What a job is made of: a recording, or a live session.' });

const liveJob = z
  .object({
    open: z.boolean().meta({ description: 'True while its audio arrives.' }),
    audio: shownAudio,
    final_pass: z.string().meta({ description: 'How its transcript is made: `none`, of the finals, or `same`, as of a file.' }),
    store_audio: z.boolean().meta({ description: 'False: its recording is removed when the job ends.' }),
  })
  .meta({ id: 'LiveJob', description: 'A live session, as its job has it.' });

const billing = z.object({ billed_seconds: z.number().meta({ description: 'The seconds of audio that are billed.' }) }).meta({ id: 'JobUsage', description: 'What the job is billed for.' });

const jobFields = {
  job_id: jobId,
  kind: openEnum(jobKind).meta({ description: 'What the job is made of.' }),
  status: jobStatusField,
  created_at: time.meta({ description: 'When the job was created.' }),
  started_at: time.optional().meta({ description: 'When the work began.' }),
  completed_at: time.optional().meta({ description: 'When the job became completed, failed or canceled.' }),
  expires_at: time.optional().meta({ description: 'The time from which the job is erased, when it has one.' }),
  audio_url: z.string().optional().meta({ description: 'The URL of the media, without query and fragment.' }),
  media_expires_at: time.optional().meta({ description: 'The time from which the media is erased, when it has one; the transcript stays.' }),
  callback_url: z.string().optional().meta({ description: 'The URL that receives the webhooks of this job, without query and fragment.' }),
  title: z.string().optional().meta({ description: 'What people call the recording.', example: 'Weekly planning' }),
  recorded_at: time.optional().meta({ description: 'When the recording was made, as the request said.' }),
  file_name: z.string().optional().meta({ description: 'The name of an uploaded file.' }),
  model: z.string().meta({ description: 'The speech engine, as the request named it, or `default`. `stages.transcription.engine` is the engine that ran.', example: 'default' }),
  language: jobLanguage,
  metadata: metadataPairs,
  media: media.optional().meta({ description: 'Properties of the media file, once they are known.' }),
  channels: channelsSchema,
  priority: openEnum(jobPriority).meta({ description: 'As requested.', example: 'normal' }),
  progress: progressSchema,
  stages,
  error: failureSchema.optional().meta({ description: 'The reason, when the job failed.' }),
  warnings: z.array(warningSchema).meta({ description: 'What the job did differently than requested, or could not do.' }),
  live: liveJob.optional().meta({ description: 'Of a live session.' }),
  batch_id: batchId.optional().meta({ description: 'The batch that the job was created in.' }),
  project_id: projectId.optional().meta({ description: 'The project of the job.' }),
  usage: billing.optional().meta({ description: 'What the job is billed for, once it has ended; 0 seconds for nearly every failed one.' }),
};

/** In lists, without the transcript. */
export const jobSummarySchema = z.object(jobFields).meta({ id: 'TranscriptionSummary', description: 'A job without its transcript, as in lists.' });

export const orderedJobSchema = z
  .object({ ...jobFields, ordered: z.array(openEnum(stageName)).meta({ description: 'The stages that the order started; empty when it changes nothing, as each result is of the present transcript.' }) })
  .meta({ id: 'OrderedTranscription', description: 'A job with the stages that were ordered.' });

const jobFile = z.object({ upload_id: z.string().meta({ description: 'The upload.' }), speaker: z.string().optional().meta({ description: 'The name of the participant.' }) }).meta({ id: 'JobFile', description: 'The recording of one participant of a job.' });

export const jobSchema = z
  .object({
    ...jobFields,
    upload_id: z.string().optional().meta({ description: 'The upload that the request named; it may be gone.' }),
    files: z.array(jobFile).optional().meta({ description: 'The files that the request named, when each participant has one.' }),
    callback_include: z.array(z.string()).optional().meta({ description: 'Contents of the webhooks to `callback_url`.' }),
    legal_hold: legalHoldSchema.optional(),
    options: jobOptionsSchema,
    links: transcriptionLinks,
    transcript: transcriptSchema.optional().meta({ description: 'Present as soon as the transcription stage has completed.' }),
  })
  .meta({ id: 'Transcription', description: 'A job, with its transcript as soon as there is one.' });

const JOB_ID = 'job_01k9z3v4n8';

export const acceptedSchema = z
  .object({
    job_id: jobId,
    status: jobStatusField,
    created_at: time.meta({ description: 'When the job was created.' }),
    links: z
      .object({
        self: z.string().meta({ description: 'The path of the job.' }),
        events: z.string().meta({ description: 'The path of its Server-Sent Events.' }),
        transcript: z.string().meta({ description: 'The path of its transcript as a document.' }),
      })
      .meta({ id: 'JobLinks', description: 'Where the job and what belongs to it can be read.' }),
  })
  .meta({
    id: 'AcceptedTranscription',
    description: 'A job that was accepted.',
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
