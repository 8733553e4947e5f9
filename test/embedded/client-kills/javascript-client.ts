import { createReadStream } from 'node:fs';
import { ParlanceError, Parlance } from '../../../sdks/javascript/src/index.js';
import { fromPath } from '../../../sdks/javascript/src/node.js';
import type { KilledClient, Outcome, Run } from './killed-client.js';
import { PHASE_NAMES } from './phases.js';

/** Without what the tests do not look at. */
const PLAIN = { diarization: false, summary: false, highlights: false } as const;
const RAW = { encoding: 'pcm_s16le', sample_rate: 16_000, channels: 1 } as const;

type Call = (client: Parlance, run: Run, options: { idempotencyKey?: string }) => Promise<Outcome['result']>;

const CALLS: Record<string, Call> = {
  transcribe: async (client, { recording }, options) => client.transcriptions.transcribe({ file: await fromPath(recording), ...PLAIN }, options),
  events: async (client, { recording }, options) => {
    const { job_id: id } = await client.transcriptions.create({ file: await fromPath(recording), ...PLAIN }, options);
    let status = '';
    for await (const event of client.transcriptions.events(id)) status = event.event === 'done' ? event.status : '';
    return { job_id: id, status };
  },
  export: async (client, { job_id: id }) => ({ text: new TextDecoder('latin1').decode((await client.transcriptions.export(id, 'pdf')) as Uint8Array) }),
  chat: async (client, { job_id: id }, options) => {
    let text = '';
    for await (const event of client.chat.stream({ message: 'What was said?', job_id: id }, options)) if (event.event === 'done') text = event.answer;
    return { text };
  },
  live: async (client, { recording, max_retries: maxRetries }, options) => {
    const session = await client.live.connect({ audio: RAW, ...PLAIN }, { ...options, maxRetries });
    for await (const piece of createReadStream(recording)) await session.send(piece as Uint8Array);
    const { transcription_id: id } = await session.finish();
    return client.transcriptions.wait(id);
  },
};

async function outcomeOf(run: Run): Promise<Outcome> {
  const client = new Parlance({ baseUrl: run.base_url, apiKey: run.api_key, maxRetries: run.max_retries });
  try {
    return { result: await CALLS[run.call]?.(client, run, { idempotencyKey: run.idempotency_key }) };
  } catch (error) {
    if (!(error instanceof ParlanceError)) throw error;
    return { error: { type: error.name, message: error.message, retryable: error.retryable, job_id: error.jobId, idempotency_key: error.idempotencyKey, attempts: error.attempts } };
  }
}

export const javascriptClient: KilledClient = { name: 'JavaScript', phases: PHASE_NAMES, run: (runs) => runs.map(outcomeOf) };
