import { z } from 'zod';
import { clock } from '../clock.js';
import { CREATED_AFTER, CREATED_BEFORE, CURSOR, JOB_ID_FILTER, limitField, NEXT_CURSOR, SPEAKER_FILTER, START } from '../fields.js';
import type { Tool } from '../tool.js';

const INPUT = {
  query: z.string().min(1).describe('Words, a question, or a "phrase in quotes".'),
  job_id: JOB_ID_FILTER,
  speaker: SPEAKER_FILTER,
  created_after: CREATED_AFTER,
  created_before: CREATED_BEFORE,
  limit: limitField(10),
  cursor: CURSOR,
};

const OUTPUT = {
  hits: z.array(z.object({ job_id: z.string(), segment_id: z.string(), start: START, end: z.number(), speaker: z.string().optional(), text: z.string(), created_at: z.string() })),
  next_cursor: NEXT_CURSOR,
};

export const searchRecordings: Tool<typeof INPUT, typeof OUTPUT> = {
  name: 'search_recordings',
  title: 'Search recordings',
  description: 'Finds passages of all transcripts by words and by meaning, the best first, with speaker and times. For an answer in words use ask_recordings; for what is around a passage, read_transcript.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: INPUT,
  output: OUTPUT,
  run: async ({ query, cursor, ...filters }, { client, signal }) => {
    const page = await client.search({ q: query, ...filters, ...(cursor !== undefined && { cursor }) }, { signal }).first();
    const hits = page.data.map(({ job_id, segment_id, jump_to, end, speaker, text, created_at }) => ({ job_id, segment_id, start: jump_to, end, ...(speaker !== undefined && { speaker }), text, created_at }));
    const lines = hits.map(({ job_id, segment_id, start, speaker, text }) => `${job_id} ${segment_id} at ${clock(start)}: ${speaker === undefined ? '' : `${speaker}: `}${text}`);
    const more = page.next_cursor === null ? '' : `\n\n(More with cursor: ${page.next_cursor})`;
    return { data: { hits, next_cursor: page.next_cursor }, text: lines.length === 0 ? 'Nothing was found. Use other words, or fewer filters.' : lines.join('\n') + more };
  },
};
