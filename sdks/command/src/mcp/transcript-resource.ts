import { ResourceTemplate, type McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Parlance } from './client.js';
import { adviceFor, ToolError } from './failures.js';
import { continuation, lineOf, partOf } from './transcript-part.js';

const TEMPLATE = 'parlance://recordings/{job_id}/transcript';
const MAX_LISTED = 50;
/** Characters of a transcript that is read as a resource, which cannot be continued: some ten hours of speech. */
const MAX_CHARS = 500_000;
const TEXT = 'text/plain';

/** Offers the transcripts of the newest recordings as resources, and every transcript by its id. */
export function registerTranscripts(server: McpServer, client: Parlance): void {
  const list = async () => {
    const { data } = await client.transcriptions.list({ status: 'completed', limit: MAX_LISTED }).first();
    return { resources: data.map(({ job_id: id, title, file_name: file }) => ({ uri: uriOf(id), name: title ?? file ?? id, mimeType: TEXT })) };
  };
  const info = { title: 'Transcript', description: 'What is said in a recording, with times and speaker names.', mimeType: TEXT };
  server.registerResource('transcript', new ResourceTemplate(TEMPLATE, { list: () => withAdvice(list) }), info, ({ href }, { job_id: id }, { signal }) =>
    withAdvice(async () => ({ contents: [{ uri: href, mimeType: TEXT, text: await textOf(client, String(id), signal) }] })),
  );
}

const uriOf = (id: string) => TEMPLATE.replace('{job_id}', encodeURIComponent(id));

async function textOf(client: Parlance, id: string, signal: AbortSignal): Promise<string> {
  const { transcript, status } = await client.transcriptions.get(id, {}, { signal });
  if (!transcript) throw new ToolError(`The recording ${id} has no transcript: it is ${status}.`);
  const { segments, next } = partOf(transcript, { maxChars: MAX_CHARS });
  return segments.map(lineOf).join('\n') + continuation(id, next);
}

async function withAdvice<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(adviceFor(error), { cause: error });
  }
}
