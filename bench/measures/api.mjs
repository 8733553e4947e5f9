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
const ROUNDS = 2;
const CONNECTIONS = 32;
const TARGETS = { create: 0.05, get: 0.15 };
const FEW = 1000;
const MANY = { smoke: 3000, quick: 50_000, full: 1_000_000 };
const READS = { smoke: 100, quick: 500, full: 2000 };
const MAX_GROWTH = 1.5;
/** Documents written at a time. */
const BATCH = 2000;
/** The audit log is on unless an operator switches it off; the targets are for that. */
const AUDIT_LOGS = ['on', 'off'];
const ENV = { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '0', ACCOUNT_RATE_LIMIT_PER_MINUTE: '0', JOBS_IN_FLIGHT_PER_ACCOUNT: '0' };
/** A sealed document belongs to its id, so copies of it could not be opened. */
const IN_CLEAR = { ...ENV, KEY_PROVIDER: 'none' };

/** Making, reading and listing jobs beside bare routes that take and give the same, and reading with very many stored. */
export async function api(size) {
  return [...(await besideBareRoutes(size)), ...(await withManyJobs(size))];
}

async function besideBareRoutes(size) {
  const media = await silentServer();
  const installations = [];
  const bares = [];
  try {
    for (const auditLog of AUDIT_LOGS) installations.push(await withJobs(auditLog, media.url));
    const [{ job, list, queued }] = installations;
    const readUrl = await bareProcess(bares, '../bare-reads.mjs', { job, list });
    const createUrl = await bareProcess(bares, '../bare-route.mjs');
    const seconds = SECONDS[size];
    const body = JSON.stringify({ audio_url: media.url, language: 'en', metadata: { source: 'bench' } });
    const create = { url: createUrl, seconds, method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const get = { url: `${readUrl}/transcriptions/${queued}`, seconds };
    const reading = (pathOf) => (installation) => load({ url: `${installation.api.url}/api/v1${pathOf(installation)}`, seconds, headers: { authorization: `Bearer ${installation.api.apiKey}` } });
    const cases = [
      ['make a job', create, ({ api }) => acceptedPerSecond(api, media.url, seconds), TARGETS.create],
      ['get a job', get, reading((each) => `/transcriptions/${each.queued}`), TARGETS.get],
      ['get a job with its transcript', get, reading((each) => `/transcriptions/${each.completed}`)],
      ['list 20 jobs', { url: `${readUrl}/transcriptions`, seconds }, reading(() => '/transcriptions')],
    ];
    const rows = [];
    // Making jobs comes last, so that all others are read with few stored.
    for (const [name, bare, measure, target] of cases.toReversed()) rows.unshift(...(await auditRows(name, bare, installations, measure, target)));
    return rows;
  } finally {
    for (const { parlance } of installations) {
      await parlance.kill();
      await parlance.dispose();
    }
    for (const bare of bares) bare.kill();
    media.close();
  }
}

/** An installation with a completed job and 21 that wait. */
async function withJobs(auditLog, mediaUrl) {
  const parlance = await ParlanceProcess.start({ env: { ...ENV, AUDIT_LOG: auditLog } });
  const { api } = parlance;
  const completed = await api.upload(SAMPLES.reading.path);
  await api.terminal(completed);
  const queued = await api.submit({ audio_url: mediaUrl, metadata: { source: 'bench' } });
  for (let more = 0; more < 20; more += 1) await api.submit({ audio_url: mediaUrl });
  const [job, list] = await Promise.all([api.json(`/transcriptions/${queued}`), api.json('/transcriptions')]);
  return { parlance, api, auditLog, completed, queued, job, list };
}

/** A row for each installation. They and the bare route are measured in turns: the machine's own speed changes within a minute. */
async function auditRows(name, bare, installations, measure, target) {
  const baselines = [await load(bare)];
  const measured = installations.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, installation] of installations.entries()) measured[index].push(await measure(installation));
    baselines.push(await load(bare));
  }
  return installations.map(({ auditLog }, index) => rateRow(`${name}, AUDIT_LOG=${auditLog}`, together(measured[index]), together(baselines), auditLog === 'on' ? target : undefined));
}

const together = (turns) => ({ rate: turns.reduce((sum, { rate }) => sum + rate, 0) / turns.length, p99: Math.max(...turns.map(({ p99 }) => p99)) });

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
      running.push({ ids, parlance: await ParlanceProcess.start({ env: IN_CLEAR, dataFolder: folder }) });
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
  const parlance = await ParlanceProcess.start({ env: IN_CLEAR, dataFolder });
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
