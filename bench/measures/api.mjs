import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { ParlanceProcess, SAMPLES } from '@parlance/testing';
import autocannon from 'autocannon';
import { percent, quantile, times } from '../table.mjs';
import { acceptedPerSecond, silentServer } from './accepted-jobs.mjs';

const SECONDS = { smoke: 1, quick: 5, full: 15 };
const CONNECTIONS = 32;
const TARGETS = { create: 0.05, get: 0.15 };
const FEW = 1000;
const MANY = { smoke: 3000, quick: 50_000, full: 1_000_000 };
const READS = { smoke: 100, quick: 500, full: 2000 };
const MAX_GROWTH = 1.5;
/** Documents written at a time. */
const BATCH = 2000;
const ENV = { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '0', ACCOUNT_RATE_LIMIT_PER_MINUTE: '0', JOBS_IN_FLIGHT_PER_ACCOUNT: '0' };

/** Making, reading and listing jobs beside bare routes that take and give the same, and reading with very many stored. */
export async function api(size) {
  return [...(await besideBareRoutes(size)), ...(await withManyJobs(size))];
}

async function besideBareRoutes(size) {
  const media = await silentServer();
  const parlance = await ParlanceProcess.start({ env: ENV });
  const bares = [];
  try {
    const completed = await parlance.api.upload(SAMPLES.reading.path);
    await parlance.api.terminal(completed);
    const queued = await parlance.api.submit({ audio_url: media.url, metadata: { source: 'bench' } });
    for (let more = 0; more < 20; more += 1) await parlance.api.submit({ audio_url: media.url });
    const paths = { [`/transcriptions/${queued}`]: 'get a job', [`/transcriptions/${completed}`]: 'get a job with its transcript', '/transcriptions': 'list 20 jobs' };
    const [job, list] = await Promise.all([parlance.api.json(`/transcriptions/${queued}`), parlance.api.json('/transcriptions')]);
    const readUrl = await bareProcess(bares, '../bare-reads.mjs', { job, list });
    const createUrl = await bareProcess(bares, '../bare-route.mjs');
    const rows = [];
    for (const [path, name] of Object.entries(paths)) {
      const bare = path === '/transcriptions' ? `${readUrl}/transcriptions` : `${readUrl}/transcriptions/${queued}`;
      const measure = () => load({ url: `${parlance.api.url}/api/v1${path}`, seconds: SECONDS[size], headers: { authorization: `Bearer ${parlance.api.apiKey}` } });
      const { measured, baseline } = await between({ url: bare, seconds: SECONDS[size] }, measure);
      rows.push(rateRow(name, measured, baseline, name === 'get a job' ? TARGETS.get : undefined));
    }
    const body = JSON.stringify({ audio_url: media.url, language: 'en', metadata: { source: 'bench' } });
    const bare = { url: createUrl, seconds: SECONDS[size], method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const { measured, baseline } = await between(bare, () => acceptedPerSecond(parlance.api, media.url, SECONDS[size]));
    rows.unshift(rateRow('make a job', measured, baseline, TARGETS.create));
    return rows;
  } finally {
    await parlance.kill();
    await parlance.dispose();
    for (const bare of bares) bare.kill();
    media.close();
  }
}

async function bareProcess(bares, path, message) {
  const bare = fork(fileURLToPath(new URL(path, import.meta.url)));
  bares.push(bare);
  if (message) bare.send(message);
  const [{ url }] = await once(bare, 'message');
  return url;
}

function rateRow(name, measured, baseline, target) {
  const ratio = measured.rate / baseline.rate;
  return {
    name,
    measured: `${measured.rate.toFixed(0)}/s, p99 ${measured.p99} ms`,
    baseline: `bare route ${baseline.rate.toFixed(0)}/s, p99 ${baseline.p99} ms`,
    ratio: percent(ratio),
    target: target === undefined ? '' : `≥ ${target * 100} %`,
    met: target === undefined ? undefined : ratio >= target,
  };
}

/** Before and after: the machine's own speed changes within a minute. */
async function between(bare, measure) {
  const before = await load(bare);
  const measured = await measure();
  const after = await load(bare);
  return { measured, baseline: { rate: (before.rate + after.rate) / 2, p99: Math.max(before.p99, after.p99) } };
}

async function load({ url, seconds, ...options }) {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, ...options });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} errors`);
  return { rate: result.requests.average, p99: result.latency.p99 };
}

/** Two installations beside each other, read in turns, so that what else the machine does meets both. */
async function withManyJobs(size) {
  const [few, many] = await Promise.all([emptyFolder(), emptyFolder()]);
  const running = [];
  try {
    const jobId = await oneJob(few);
    await cp(few, many, { recursive: true, filter: async (path) => !(await lstat(path)).isSocket() });
    for (const [folder, count] of [[few, FEW], [many, MANY[size]]]) {
      const ids = await multiply(join(folder, 'documents', 'ingest.db'), jobId, count - 1);
      running.push({ ids, parlance: await ParlanceProcess.start({ env: ENV, dataFolder: folder }) });
    }
    const lists = { 'list jobs': '/transcriptions', 'list jobs of a state': '/transcriptions?status=completed' };
    const one = ({ ids }) => `/transcriptions/${ids[Math.floor(Math.random() * ids.length)]}?include=none`;
    const cases = [['get a job', one], ...Object.entries(lists).map(([name, path]) => [name, () => path])];
    const rows = [];
    for (const [name, pathOf] of cases) rows.push(growthRow(name, size, await inTurns(running, pathOf, READS[size])));
    return rows;
  } finally {
    for (const { parlance } of running) await parlance.kill();
    for (const folder of [few, many]) await rm(folder, { recursive: true, force: true });
  }
}

const emptyFolder = () => mkdtemp(join(tmpdir(), 'parlance-bench-'));

/** Completes a job in the folder, and leaves. @returns its id */
async function oneJob(dataFolder) {
  const parlance = await ParlanceProcess.start({ env: ENV, dataFolder });
  try {
    const jobId = await parlance.api.upload(SAMPLES.reading.path);
    await parlance.api.terminal(jobId);
    return jobId;
  } finally {
    await parlance.stop();
  }
}

function growthRow(name, size, [few, many]) {
  const ratio = many / few;
  return {
    name: `${name} of ${MANY[size].toLocaleString('en')}`,
    measured: `p50 ${many.toFixed(2)} ms`,
    baseline: `of ${FEW.toLocaleString('en')}: p50 ${few.toFixed(2)} ms`,
    ratio: times(ratio),
    target: `≤ ${MAX_GROWTH} ×`,
    met: ratio <= MAX_GROWTH,
  };
}

/** The medians, in milliseconds. */
async function inTurns(installations, pathOf, reads) {
  const samples = installations.map(() => []);
  for (let read = 0; read < reads; read += 1) {
    for (const [index, each] of installations.entries()) {
      const path = pathOf(each);
      const started = performance.now();
      await each.parlance.api.json(path);
      samples[index].push(performance.now() - started);
    }
  }
  return samples.map((taken) => quantile(taken.toSorted((a, b) => a - b), 0.5));
}

/** Writes a completed job again under other ids, through the port, while no process runs. @returns some of the new ids, all ended */
async function multiply(file, jobId, count) {
  const { jobCollection } = await import(new URL('../../apps/ingest/dist/jobs/state/job.js', import.meta.url));
  const ids = ulidGenerator();
  const documents = await openDocumentDatabase(`sqlite:${file}`, { clock: systemClock, ids, log: silentLogger(), source: 'ingest' });
  const jobs = documents.collection(jobCollection);
  const { document: original } = await jobs.get(jobId);
  const known = [];
  const firstMs = Date.parse(original.createdAt) - count * 1000;
  for (let made = 0; made < count; made += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - made) }, (_, index) => copyOf(original, ids.next('job'), made + index, firstMs));
    await Promise.all(batch.map((job) => jobs.insert(job)));
    known.push(batch[0].id);
  }
  await documents.close();
  return known;
}

function copyOf(original, id, number, firstMs) {
  const createdAt = new Date(firstMs + number * 1000).toISOString();
  const metadata = { group: String(number % 100) };
  return { ...original, id, createdAt, open: false, metadata, options: { ...original.options, metadata } };
}
