import { z } from 'zod';
import { CREATED_AFTER, CREATED_BEFORE, CURSOR, limitField, NEXT_CURSOR } from '../fields.js';
import { RECORDING, recordingLine, recordingOf } from '../recordings.js';
import type { Tool } from '../tool.js';

const INPUT = {
  title: z.string().min(1).optional().describe('Beginnings of words of the title or file name.'),
  status: z.enum(['queued', 'processing', 'completed', 'failed', 'canceled']).optional(),
  created_after: CREATED_AFTER,
  created_before: CREATED_BEFORE,
  order: z.enum(['asc', 'desc']).default('desc').describe('By the time at which they were added: desc is the newest first.'),
  limit: limitField(20),
  cursor: CURSOR,
};

const OUTPUT = { recordings: z.array(z.object(RECORDING)), next_cursor: NEXT_CURSOR };

export const listRecordings: Tool<typeof INPUT, typeof OUTPUT> = {
  name: 'list_recordings',
  title: 'List recordings',
  description: 'Lists recordings with title, state, length and language, the newest first. To find what was said use search_recordings.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: INPUT,
  output: OUTPUT,
  run: async ({ title, cursor, ...filters }, { client, signal }) => {
    const page = await client.transcriptions.list({ ...filters, ...(title !== undefined && { q: title }), ...(cursor !== undefined && { cursor }) }, { signal }).first();
    const recordings = page.data.map(recordingOf);
    const more = page.next_cursor === null ? '' : `\n\n(More with cursor: ${page.next_cursor})`;
    return { data: { recordings, next_cursor: page.next_cursor }, text: recordings.length === 0 ? 'There is no such recording.' : recordings.map(recordingLine).join('\n') + more };
  },
};
