import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { allowedFile, type AllowedFile } from '../allowed-file.js';
import { fromPath, JobFailedError, type NewTranscription, type Transcription } from '../client.js';
import { ToolError } from '../failures.js';
import { RECORDING, recordingLine, recordingOf } from '../recordings.js';
import type { Tool, ToolContext } from '../tool.js';
import { continuation, lineOf, partOf, SEGMENT } from '../transcript-part.js';
import { waited } from '../wait.js';

/** Characters of the transcript in the result. */
const MAX_CHARS = 12_000;
/** Percent of the progress that belong to the upload of a file. */
const UPLOAD_PERCENT = 30;
/** Below the time after which clients give up a call that sends no progress, a minute. */
const WAIT_SECONDS = 45;

/** Calls of one process with the same values are one job, so that a call that is repeated after its time-out costs nothing. */
const SALT = randomBytes(16).toString('hex');

const INPUT = {
  file: z.string().min(1).optional().describe('Path of an audio or video file on the machine of this MCP server.'),
  url: z.url({ protocol: /^https?$/ }).optional().describe('Address of an audio or video file.'),
  language: z.string().min(2).optional().describe('Language of the speech as a BCP 47 tag, such as en. Default: it is recognized.'),
  model: z.string().min(1).optional().describe('Speech engine. Default: that of the server.'),
  title: z.string().min(1).optional(),
  speakers: z.boolean().default(true).describe('Whether to recognize who speaks.'),
  vocabulary: z.array(z.string().min(1)).optional().describe('Names and terms that occur in the recording.'),
  wait_seconds: z.int().min(0).max(3600).default(WAIT_SECONDS).describe('Seconds to wait for the transcript after the upload.'),
  again: z.boolean().default(false).describe('Transcribes the same recording once more, for instance after a failure.'),
};

const OUTPUT = {
  ...RECORDING,
  segments: z.array(SEGMENT).optional().describe('The transcript, when it was done in time.'),
  is_cut: z.boolean().describe('true: the transcript is longer; read on with read_transcript.'),
  next_segment_id: z.string().optional(),
};

type Input = z.output<z.ZodObject<typeof INPUT>>;

export const transcribe: Tool<typeof INPUT, typeof OUTPUT> = {
  name: 'transcribe',
  title: 'Transcribe a recording',
  description:
    'Uploads a file, or gives the server a URL, and waits for its transcript. When it is not done in time, the work continues: call get_recording with the job_id, then read_transcript. A call that is repeated with the same values continues the first one. Canceling the call ends the upload; a job that exists continues.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: INPUT,
  output: OUTPUT,
  run: async (input, context) => {
    const jobId = await create(input, context);
    const job = await waited(context.client, jobId, input.wait_seconds, { signal: context.signal, report: progressOf(input, context) });
    if (job.status === 'failed' || job.status === 'canceled') throw new JobFailedError(job);
    return resultOf(job);
  },
};

async function create(input: Input, { client, options, signal, report }: ToolContext): Promise<string> {
  if ((input.file === undefined) === (input.url === undefined)) throw new ToolError('Give either file or url.');
  const file = input.file === undefined ? undefined : await allowedFile(input.file, options.folders);
  const { language, model, title, vocabulary, speakers } = input;
  const source = file ? { file: await fromPath(file.path) } : { audio_url: input.url };
  const settings: NewTranscription = { ...source, language, model, title, vocabulary, diarization: speakers };
  const { job_id: jobId } = await client.transcriptions.create(settings, {
    signal,
    idempotencyKey: input.again ? undefined : keyOf(input, file),
    onUploadProgress: ({ sentBytes, totalBytes = sentBytes }) => report(Math.floor((sentBytes / totalBytes) * UPLOAD_PERCENT), `uploaded ${sentBytes} of ${totalBytes} bytes`),
  });
  return jobId;
}

/** A file that was changed is another recording. */
function keyOf({ url, language, model, title, vocabulary, speakers }: Input, file: AllowedFile | undefined): string {
  return createHash('sha256').update(JSON.stringify([SALT, file, url, language, model, title, vocabulary, speakers])).digest('hex');
}

function progressOf({ file }: Input, { report }: ToolContext): (job: Transcription) => void {
  const begin = file === undefined ? 0 : UPLOAD_PERCENT;
  return ({ progress: { percent, stage = 'waiting' } }) => report(begin + Math.floor((percent / 100) * (100 - begin)), stage);
}

function resultOf(job: Transcription): { data: z.output<z.ZodObject<typeof OUTPUT>>; text: string } {
  const recording = recordingOf(job);
  const { job_id: id, transcript } = job;
  if (!transcript) return { data: { ...recording, is_cut: false }, text: `${recordingLine(recording)}\n\nThe transcript is not done yet. Call get_recording with job_id: ${id} and wait_seconds.` };
  const { segments, next } = partOf(transcript, { maxChars: MAX_CHARS });
  const data = { ...recording, segments, is_cut: next !== undefined, ...(next && { next_segment_id: next.segment_id }) };
  return { data, text: `${recordingLine(recording)}\n\n${segments.length === 0 ? 'Nothing is said in it.' : segments.map(lineOf).join('\n')}${continuation(id, next)}` };
}
