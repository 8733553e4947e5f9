import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { booleanParameter, integerParameter, jobParams, numberParameter, seconds } from '../http/schema.js';

const TAG = 'Recordings';
const JOB_PATH = '/api/v1/transcriptions/{job_id}';
const MAX_POINTS = 4000;

const RECORDING_TYPES = ['audio/*', 'video/*', 'application/octet-stream'] as const;

export const getMedia = defineOperation({
  id: 'getMedia',
  method: 'GET',
  path: `${JOB_PATH}/media`,
  tag: TAG,
  summary: 'Get the recording of a job',
  description: 'The file as it was uploaded or fetched, with the media type that was found in it; of a job with several `files`, the first. With `redaction.audio`, the redacted one.',
  access: 'transcriptions:read',
  params: jobParams,
  query: z.strictObject({ original: booleanParameter().optional().meta({ description: 'Whether to get what `keep_original` kept.' }) }),
  headers: { Range: 'One range of bytes, such as `bytes=0-1023`; others are ignored.', 'If-Range': 'An ETag: the range counts only while the file is this one.' },
  answers: {
    200: { description: 'The file.', binary: 'The bytes of the file.', binaryTypes: RECORDING_TYPES, headers: { 'Accept-Ranges': '`bytes`.', 'Content-Disposition': 'The name of the file.' } },
    206: { description: 'The range of the file.', binary: 'The bytes of the range.', binaryTypes: RECORDING_TYPES, headers: { 'Content-Range': 'Which bytes these are, and how many the file has.' } },
  },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'media_gone', 'range_not_satisfiable'],
});

/** The longest clip, in seconds. */
const MAX_CLIP_SECONDS = 600;
const MAX_SECONDS = 999_999_999;

export const CLIP_TYPES = { mp3: 'audio/mpeg', m4a: 'audio/mp4', wav: 'audio/wav', ogg: 'audio/ogg' } as const;
const clipFormat = z.enum(Object.keys(CLIP_TYPES) as (keyof typeof CLIP_TYPES)[]).meta({ id: 'ClipFormat', description: 'A file format of clips: MP3, AAC in MP4, PCM in WAV, or Opus in Ogg.' });

interface ClipRange {
  start: number;
  end: number;
}

function clipRules({ start, end }: ClipRange, context: z.RefinementCtx): void {
  if (end <= start) context.addIssue({ code: 'custom', path: ['end'], message: 'This must be greater than start.' });
  if (end - start > MAX_CLIP_SECONDS) context.addIssue({ code: 'custom', path: ['end'], message: `A clip has at most ${MAX_CLIP_SECONDS} seconds.` });
}

export const getClip = defineOperation({
  id: 'getClip',
  method: 'GET',
  path: `${JOB_PATH}/media/clip`,
  tag: TAG,
  summary: 'Get a stretch of the recording as an audio file',
  description: `At most ${MAX_CLIP_SECONDS} seconds, cut out of the file that \`getMedia\` returns. Times are those of the transcript.`,
  access: 'transcriptions:read',
  params: jobParams,
  query: z
    .strictObject({
      start: numberParameter(0, MAX_SECONDS).meta({ description: 'Where the clip begins, in seconds.' }),
      end: numberParameter(0, MAX_SECONDS).meta({ description: 'Where it ends; at the latest where the recording does.' }),
      format: clipFormat.default('mp3').meta({ description: 'The format of the file.' }),
    })
    .superRefine(clipRules),
  answers: { 200: { description: 'The file.', binary: 'The bytes of the file.', binaryTypes: ['audio/*'], headers: { 'Content-Disposition': 'The name of the file.' } } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'media_gone', 'media_sealed'],
});

const level = (which: string) => z.array(z.number().min(-1).max(1)).meta({ description: `The ${which} sample of each point, from -1 to 1.` });

const waveformSchema = z
  .object({
    duration: seconds.meta({ description: 'The duration of the recording in seconds; each point is an equal part of it.' }),
    points: z.int().min(0).max(MAX_POINTS).meta({ description: 'The number of points.' }),
    min: level('lowest'),
    max: level('highest'),
  })
  .meta({ id: 'Waveform', description: 'The peaks of a recording, over all of its channels.' });

export const getWaveform = defineOperation({
  id: 'getWaveform',
  method: 'GET',
  path: `${JOB_PATH}/waveform`,
  tag: TAG,
  summary: 'Get the waveform of a recording',
  description: 'There is one from when the recording is decoded until its media is erased. A point is a fiftieth of a second or longer. Several `files` have one together.',
  access: 'transcriptions:read',
  params: jobParams,
  query: z.strictObject({ points: integerParameter(1, MAX_POINTS).default(1000).meta({ description: 'The maximum number of points.', override: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_POINTS, default: 1000, pattern: undefined } }) }),
  answers: { 200: { description: 'The waveform.', schema: waveformSchema } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'media_gone', 'media_sealed'],
});
