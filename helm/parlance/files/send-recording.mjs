// Health, the languages and, given a key and a recording, its whole way: upload, transcript, removal.
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const { GATEWAY, API_KEY, RECORDING, TIMEOUT_SECONDS } = process.env;
const deadline = AbortSignal.timeout(Number(TIMEOUT_SECONDS) * 1000);

async function call(method, path, body) {
  const headers = API_KEY ? { authorization: `Bearer ${API_KEY}` } : {};
  const response = await fetch(`${GATEWAY}${path}`, { method, headers, body, signal: deadline });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  console.log(`${method} ${path}: ${response.status}`);
  return text;
}

await call('GET', '/health/ready');
if (!API_KEY) console.log('No BOOTSTRAP_API_KEY in secrets.keys: nothing more is tried.');
else {
  const { languages } = JSON.parse(await call('GET', '/api/v1/languages'));
  if (!(languages?.length > 0)) throw new Error('the engine has no languages');
  if (RECORDING) await transcribe();
}

async function transcribe() {
  const form = new FormData();
  form.append('file', await openAsBlob(RECORDING), basename(RECORDING));
  const { job_id: id } = JSON.parse(await call('POST', '/api/v1/transcriptions', form));
  let job;
  do {
    await pause(1000, undefined, { signal: deadline });
    job = JSON.parse(await call('GET', `/api/v1/transcriptions/${id}`));
  } while (!['completed', 'failed', 'canceled'].includes(job.status));
  if (job.status !== 'completed') throw new Error(`the job ${job.status}: ${JSON.stringify(job.error)}`);
  const transcript = await call('GET', `/api/v1/transcriptions/${id}/transcript?format=txt`);
  if (transcript.trim() === '') throw new Error('the transcript is empty');
  console.log(transcript);
  await call('DELETE', `/api/v1/transcriptions/${id}`);
}
