import { z } from 'zod';
import { clock } from '../clock.js';
import { CREATED_AFTER, CREATED_BEFORE, JOB_ID_FILTER, SPEAKER_FILTER, START } from '../fields.js';
import type { Tool } from '../tool.js';

const INPUT = {
  question: z.string().min(1).describe('A question in natural language.'),
  job_id: JOB_ID_FILTER,
  conversation_id: z.string().min(1).optional().describe('`conversation_id` of an earlier answer, for a question that follows it.'),
  speaker: SPEAKER_FILTER,
  created_after: CREATED_AFTER,
  created_before: CREATED_BEFORE,
};

const OUTPUT = {
  answer: z.string(),
  grounded: z.boolean().describe('false: the recordings do not contain an answer.'),
  citations: z.array(z.object({ job_id: z.string(), segment_id: z.string(), start: START, end: z.number(), quote: z.string() })).describe('The places that support the answer. Each quote is verbatim.'),
  conversation_id: z.string(),
};

export const askRecordings: Tool<typeof INPUT, typeof OUTPUT> = {
  name: 'ask_recordings',
  title: 'Ask recordings',
  description: 'Answers a question from the transcripts, with verbatim quotes and their times. Cite them. When `grounded` is false, say that the recordings do not contain an answer.',
  // Recordings stay as they are; the server keeps the conversation for questions that follow.
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: INPUT,
  output: OUTPUT,
  run: async ({ question, ...filters }, { client, signal }) => {
    const { answer, grounded, citations, conversation_id } = await client.chat.ask({ message: question, ...filters }, { signal });
    const places = citations.map(({ job_id, segment_id, start, end, quote }) => ({ job_id, segment_id, start, end, quote }));
    const sources = places.map(({ job_id, segment_id, start, quote }) => `- ${job_id} ${segment_id} at ${clock(start)}: “${quote}”`);
    const text = [answer, ...(sources.length > 0 ? ['', 'Sources:', ...sources] : []), '', `(conversation_id: ${conversation_id})`].join('\n');
    return { data: { answer, grounded, citations: places, conversation_id }, text };
  },
};
