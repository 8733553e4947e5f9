import { z } from 'zod';
import { clock } from '../clock.js';
import { ToolError } from '../failures.js';
import { JOB_ID, START } from '../fields.js';
import type { Tool } from '../tool.js';
import { continuation, lineOf, partOf, SEGMENT } from '../transcript-part.js';

const INPUT = {
  job_id: JOB_ID,
  segment_id: z.string().min(1).optional().describe('The segment to begin with. Default: the first one.'),
  from: START.min(0).optional().describe('Begin of the range in seconds.'),
  to: START.min(0).optional().describe('End of the range in seconds.'),
  max_chars: z.int().min(200).max(100_000).default(12_000).describe('Maximum characters of text. What does not fit can be read by the next call.'),
};

const OUTPUT = {
  job_id: z.string(),
  language: z.string(),
  duration: z.number().describe('Seconds of the recording.'),
  speakers: z.array(z.string()),
  segments: z.array(SEGMENT),
  is_cut: z.boolean().describe('true: there is more in the range.'),
  next_segment_id: z.string().optional().describe('Pass it as segment_id to read on.'),
};

export const readTranscript: Tool<typeof INPUT, typeof OUTPUT> = {
  name: 'read_transcript',
  title: 'Read a transcript',
  description: 'Reads a transcript with times and speaker names, whole or by a range: `from` and `to` in seconds, or from `segment_id` on. A long one comes in parts: pass next_segment_id as segment_id for the next part.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: INPUT,
  output: OUTPUT,
  run: async ({ job_id, segment_id: segmentId, from, to, max_chars: maxChars }, { client, signal }) => {
    const { transcript, status, progress } = await client.transcriptions.get(job_id, {}, { signal });
    if (!transcript) throw new ToolError(`The recording ${job_id} has no transcript: it is ${status}, at ${progress.percent} %. ${status === 'queued' || status === 'processing' ? 'Call get_recording with wait_seconds until it is completed.' : 'Call get_recording for the reason.'}`);
    const { segments, next } = partOf(transcript, { from, to, segmentId, maxChars });
    const { language, duration, speakers } = transcript;
    const cut = next === undefined ? { is_cut: false } : { is_cut: true, next_segment_id: next.segment_id };
    const text = segments.length === 0 ? `Nothing is said there. The recording is ${clock(duration)} (${duration} s) long.` : segments.map(lineOf).join('\n') + continuation(job_id, next, to);
    return { data: { job_id, language, duration, speakers: speakers.map(({ name }) => name), segments, ...cut }, text };
  },
};
