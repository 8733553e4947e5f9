// What a caller of the cluster sees, through the gateway's Service: node-scenario.mjs recording | lost-worker | requests
//   recording    a recording goes in; its transcript and its signed webhooks come out
//   lost-worker  the same, while a chunk's pod is deleted (COMMAND does it): the transcript is the same
//   requests     asks and posts, without trying again, until SIGTERM; fails if anything failed, or a job did not complete
// Environment: GATEWAY, API_KEY, RECEIVER (address that pods reach this machine at), COMMAND
import { execFileSync } from 'node:child_process';
import { openAsBlob, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

const { GATEWAY, API_KEY, RECEIVER, COMMAND } = process.env;
const ENDED = ['completed', 'failed', 'canceled'];
const WITHIN_MS = 240_000;

async function call(method, path, body, headers = {}) {
  // A connection of its own for each call, as of many callers.
  const response = await fetch(`${GATEWAY}/api/v1${path}`, { method, body, headers: { authorization: `Bearer ${API_KEY}`, connection: 'close', ...headers }, signal: AbortSignal.timeout(30_000) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function post(recording, fields = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', await openAsBlob(recording), basename(recording));
  return (await call('POST', '/transcriptions', form)).job_id;
}

async function until(what, look) {
  for (const deadline = Date.now() + WITHIN_MS; Date.now() < deadline; await pause(300)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`not in time: ${what}`);
}

const ended = (id) =>
  until(`the end of ${id}`, async () => {
    const job = await call('GET', `/transcriptions/${id}?include=words`);
    return ENDED.includes(job.status) && job;
  });

function demand(holds, what) {
  if (!holds) throw new Error(`does not hold: ${what}`);
  console.log(`holds: ${what}`);
}

async function withReceiver(work) {
  const { secret } = await call('GET', '/webhook-secret');
  const heard = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part)).on('end', () => {
      // Throws, and so answers nothing, when the signature is wrong.
      heard.push(new Webhook(secret).verify(Buffer.concat(parts).toString(), request.headers));
      response.writeHead(204).end();
    });
  });
  await new Promise((listening) => server.listen(0, RECEIVER, listening));
  try {
    return await work(`http://${RECEIVER}:${server.address().port}/hook`, heard);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** The share of the reference's words that the transcript has. */
function likeness(text, referencePath) {
  const words = (from) => from.toLowerCase().match(/[a-z']+/g) ?? [];
  const had = new Set(words(text));
  const wanted = words(readFileSync(referencePath, 'utf8'));
  return wanted.filter((word) => had.has(word)).length / wanted.length;
}

const textOf = (job) => JSON.stringify(job.transcript);

async function recording() {
  await withReceiver(async (url, heard) => {
    const id = await post('samples/report.mp4', { callback_url: url });
    const job = await ended(id);
    demand(job.status === 'completed', `the job completes (${JSON.stringify(job.error ?? null)})`);
    const share = likeness(textOf(job), 'samples/report.reference.txt');
    demand(share > 0.7, `its transcript has the words that were said (${Math.round(share * 100)} %)`);
    await until('its webhook', () => heard.some(({ type, data }) => type === 'transcription.completed' && data.job_id === id));
    demand(true, 'a signed webhook tells of its completion');
    console.log(heard.map(({ type }) => type).join(', '));
    await call('DELETE', `/transcriptions/${id}`);
  });
}

async function lostWorker() {
  const undisturbed = await ended(await post('samples/meeting.mp3'));
  const id = await post('samples/meeting.mp3');
  await until('the first chunks', async () => {
    const { status, progress } = await call('GET', `/transcriptions/${id}`);
    if (ENDED.includes(status)) throw new Error('it ended before anything was deleted');
    return status === 'processing' && progress.percent > 20;
  });
  execFileSync('bash', ['-c', COMMAND], { stdio: 'inherit' });
  const disturbed = await ended(id);
  demand(disturbed.status === 'completed', `the job completes without the pod (${JSON.stringify(disturbed.error ?? null)})`);
  demand(textOf(disturbed) === textOf(undisturbed), 'its transcript is that of an undisturbed run');
}

async function requests() {
  const failures = [];
  const jobs = [];
  let count = 0;
  let stopped = false;
  process.on('SIGTERM', () => (stopped = true));
  // Where whoever started it is gone.
  setTimeout(() => (stopped = true), 900_000).unref();
  const repeat = async (pauseMs, one) => {
    while (!stopped) {
      await one().then(() => (count += 1), (error) => failures.push(`${error.message} ${error.cause?.code ?? ''}`));
      await pause(pauseMs);
    }
  };
  await Promise.all([
    repeat(20, () => call('GET', '/transcriptions?limit=5')),
    repeat(50, () => call('GET', '/languages')),
    repeat(15_000, async () => jobs.push(await post('samples/report.mp4'))),
  ]);
  const outcomes = [];
  for (const id of jobs) outcomes.push((await ended(id)).status);
  console.log(failures.slice(0, 10).join('\n'));
  demand(failures.length === 0, `none of ${count} requests failed (${failures.length} did)`);
  demand(jobs.length > 0 && outcomes.every((status) => status === 'completed'), `all ${jobs.length} jobs that were accepted completed (${outcomes.join(', ')})`);
}

const scenario = { recording, 'lost-worker': lostWorker, requests }[process.argv[2]];
await scenario();
