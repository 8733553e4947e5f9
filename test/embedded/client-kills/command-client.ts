import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { KilledClient, Outcome, Run } from './killed-client.js';
import { PHASE_NAMES } from './phases.js';

const PROGRAM = fileURLToPath(new URL('../../../sdks/command/bin/parlance.js', import.meta.url));

const ARGUMENTS: Record<string, (run: Run) => string[]> = {
  transcribe: ({ recording, idempotency_key: key }) => ['transcribe', recording, '--json', ...(key === undefined ? [] : ['--idempotency-key', key])],
  export: ({ job_id: id }) => ['export', id, '--format', 'pdf'],
  chat: ({ job_id: id }) => ['ask', 'What was said?', '--job', id],
  live: ({ recording }) => ['live', recording, '--raw', 'pcm_s16le:16000:1', '--json'],
};

async function outcomeOf(run: Run): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'command-'));
  const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder, PARLANCE_BASE_URL: run.base_url, PARLANCE_API_KEY: run.api_key, PARLANCE_MAX_RETRIES: String(run.max_retries) };
  const child = spawn(process.execPath, [PROGRAM, ...(ARGUMENTS[run.call]?.(run) ?? [])], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, notes, [code]] = await Promise.all([buffer(child.stdout), text(child.stderr), once(child, 'close')]);
  await rm(folder, { recursive: true });
  return code === 0 ? { result: resultOf(run, output.toString('latin1'), notes) } : { error: errorOf(notes, code as number) };
}

function resultOf({ call }: Run, output: string, notes: string): Outcome['result'] {
  if (call === 'transcribe') return JSON.parse(output) as Outcome['result'];
  return call === 'live' ? { job_id: /job_\w+/.exec(notes)?.[0], status: 'completed' } : { text: output };
}

/** The fields of an error as far as its line has them. */
function errorOf(notes: string, code: number): Outcome['error'] {
  const message = notes.split('\n').find((line) => line.startsWith('error: ')) ?? notes;
  return { type: `exit code ${code}`, message, retryable: code === 1, job_id: /job_\w+/.exec(message)?.[0], idempotency_key: /--idempotency-key (\S+)/.exec(message)?.[1] };
}

export const commandClient: KilledClient = { name: 'the command', phases: PHASE_NAMES.filter((name) => name !== 'a stream of events'), run: (runs) => runs.map(outcomeOf) };
