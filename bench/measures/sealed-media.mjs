import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openMediaStore } from '@parlance/storage';
import { ParlanceProcess } from '@parlance/testing';
import { writeMedia } from '../media.mjs';
import { quantile, times } from '../table.mjs';

const MIB = 1024 * 1024;
const OBJECT_BYTES = { smoke: 16 * MIB, quick: 256 * MIB, full: 1024 * MIB };
const ROUNDS = { smoke: 3, quick: 60, full: 200 };
const WHOLE_ROUNDS = { smoke: 1, quick: 3, full: 5 };
/** The size of the recording that is read through the API, at 32 KB a second. */
const RECORDING_BYTES = { smoke: 16 * MIB, quick: 24 * MIB, full: 110 * MIB };
const RANGES = [['64 KiB', 64 * 1024], ['1 MiB', MIB], ['8 MiB', 8 * MIB]];
const ENV = { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '0', ACCOUNT_RATE_LIMIT_PER_MINUTE: '0' };
const KEY = 'acc/job/source';
const TARGET = 1.2;

const dataKey = { id: 'key', key: randomBytes(32) };
const keys = { of: async () => dataKey, find: async () => dataKey, destroy: async () => {} };

/** One object, sealed and in clear, on the same disk: put, read whole, and read by ranges through a bare HTTP server; and a recording by ranges through the API. */
export async function sealedMedia(size) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-sealed-'));
  const bytes = OBJECT_BYTES[size];
  try {
    const clear = await openMediaStore(`file:${join(folder, 'clear')}`);
    const sealed = await openMediaStore(`file:${join(folder, 'sealed')}`, keys);
    const both = [clear, sealed];
    const put = await alternately(both, WHOLE_ROUNDS[size], (store) => store.put(KEY, randomBody(bytes)));
    const whole = await alternately(both, WHOLE_ROUNDS[size], async (store) => drain(await store.get(KEY)));
    const rate = (ms) => `${(bytes / MIB / (ms / 1000)).toFixed(0)} MiB/s`;
    const rows = [row('sealed media, put', put, rate), row('sealed media, whole read', whole, rate)];
    const servers = await Promise.all(both.map(serve));
    try {
      for (const [name, rangeBytes] of RANGES) {
        const starts = Array.from({ length: ROUNDS[size] }, () => Math.floor(Math.random() * (bytes - rangeBytes)));
        const taken = await alternately(servers, ROUNDS[size], ({ port }, round) => getRange(port, starts[round], rangeBytes));
        rows.push(rangeRow(`sealed media, Range of ${name} by a bare HTTP server`, taken));
      }
    } finally {
      for (const { server } of servers) server.close();
    }
    return [...rows, ...(await throughApi(folder, size))];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** As a player reads it. */
async function throughApi(folder, size) {
  const bytes = RECORDING_BYTES[size];
  const path = join(folder, 'recording.wav');
  writeMedia(path, randomBytes(bytes), ['-f', 's16le', '-ar', '16000', '-ac', '1']);
  const products = [];
  try {
    for (const MEDIA_ENCRYPTION of ['off', 'on']) products.push(await ParlanceProcess.start({ env: { ...ENV, MEDIA_ENCRYPTION } }));
    const jobs = await Promise.all(products.map(async ({ api, gatewayPid }) => ({ api, gatewayPid, processor: 0, jobId: await api.upload(path, { diarization: 'false', summary: 'false', highlights: 'false' }) })));
    for (const { api, jobId } of jobs) await api.terminal(jobId, 600_000);
    const rows = [];
    for (const [name, rangeBytes] of RANGES) {
      const starts = Array.from({ length: ROUNDS[size] }, () => Math.floor(Math.random() * (bytes - rangeBytes)));
      for (const job of jobs) job.processor = 0;
      const taken = await alternately(jobs, ROUNDS[size], async (job, round) => {
        const { api, jobId, gatewayPid } = job;
        const before = await processorMs(gatewayPid);
        const answer = await api.request('GET', `/transcriptions/${jobId}/media`, { headers: { range: `bytes=${starts[round]}-${starts[round] + rangeBytes - 1}` } });
        const { byteLength } = await answer.arrayBuffer();
        if (answer.status !== 206 || byteLength !== rangeBytes) throw new Error(`${answer.status}: ${byteLength} bytes instead of ${rangeBytes}`);
        job.processor += (await processorMs(gatewayPid)) - before;
      });
      rows.push(rangeRow(`sealed media, Range of ${name} through the API`, taken));
      const processor = jobs.map((job) => [job.processor / ROUNDS[size]]);
      rows.push(row(`sealed media, Range of ${name} through the API: processor time of the server, mean`, processor, (ms) => `${ms.toFixed(2)} ms`));
    }
    return rows;
  } finally {
    for (const product of products) await product.dispose();
  }
}

/** Milliseconds of processor time that a process has used until now, in steps of ten: other work on the machine hardly counts. Linux. */
async function processorMs(pid) {
  const [user, system] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1).split(' ').slice(11, 13).map(Number);
  return (user + system) * 10;
}

function rangeRow(name, taken) {
  const ratio = middle(taken[1]) / middle(taken[0]);
  return { ...row(name, taken, (ms) => `${ms.toFixed(2)} ms`), target: `≤ ${TARGET} ×`, met: ratio <= TARGET };
}

/** @returns milliseconds of each, sorted. In turns, so that other work on the machine disturbs both alike. */
async function alternately(subjects, rounds, work) {
  const taken = subjects.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      const begun = performance.now();
      await work(subject, round);
      taken[index].push(performance.now() - begun);
    }
  }
  return taken.map((each) => each.toSorted((a, b) => a - b));
}

const middle = (sorted) => quantile(sorted, 0.5);

function row(name, [clear, sealed], shown) {
  return { name, measured: shown(middle(sealed)), baseline: `in clear: ${shown(middle(clear))}`, ratio: times(middle(sealed) / middle(clear)), target: '' };
}

async function* randomBody(bytes) {
  const piece = randomBytes(64 * 1024);
  for (let at = 0; at < bytes; at += piece.length) yield piece;
}

async function drain(body) {
  for await (const piece of body) void piece;
}

/** Answers Range requests as the gateway does: `head`, then the range as a stream. */
async function serve(store) {
  const server = createServer(async (request, response) => {
    const [start, end] = request.headers.range.slice('bytes='.length).split('-').map(Number);
    const { sizeBytes } = await store.head(KEY);
    response.writeHead(206, { 'content-length': end - start + 1, 'content-range': `bytes ${start}-${end}/${sizeBytes}` });
    await pipeline(Readable.from(await store.get(KEY, { start, end: end + 1 }), { objectMode: false }), response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: server.address().port };
}

async function getRange(port, start, bytes) {
  const request = httpRequest({ port, host: '127.0.0.1', headers: { range: `bytes=${start}-${start + bytes - 1}` } }).end();
  const [response] = await once(request, 'response');
  let received = 0;
  for await (const piece of response) received += piece.length;
  if (received !== bytes) throw new Error(`${received} bytes instead of ${bytes}`);
}
