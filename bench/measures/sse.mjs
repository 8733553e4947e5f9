import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { ParlanceProcess } from '@parlance/testing';
import { megabytes } from '../table.mjs';
import { silentServer } from './accepted-jobs.mjs';

const CONNECTIONS = { smoke: 200, quick: 2000, full: 5000 };
/** The number of connections that are opened at a time. */
const ABREAST = 100;
const LIMIT = 300 * 1024 * 1024;
const JOBS_BEFORE = 20;
/** Bytes that one connection may take, so that 5,000 stay within the limit. */
const LIMIT_EACH = LIMIT / 5000;
const SETTLE_MS = { smoke: 500, quick: 6000, full: 12_000 };

/** Resident memory that open event streams of a job that waits add to the process that serves them: here the gateway and all the others. */
export async function sse(size) {
  const media = await silentServer();
  const parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '0', ACCOUNT_RATE_LIMIT_PER_MINUTE: '0', JOBS_ACTIVE_PER_ACCOUNT: '1' } });
  const streams = [];
  try {
    // Each before it is given up after a minute or more: the last waits for as long as this takes.
    for (let before = 0; before < JOBS_BEFORE; before += 1) await parlance.api.submit({ audio_url: media.url });
    const jobId = await parlance.api.submit({ audio_url: media.url });
    // The first streams make the process load code, which is not counted for each stream.
    streams.push(...(await openStreams(parlance.api, jobId, ABREAST)));
    await settle(size);
    const before = await residentBytes(parlance.pid);
    const count = CONNECTIONS[size];
    while (streams.length < count + ABREAST) streams.push(...(await openStreams(parlance.api, jobId, Math.min(ABREAST, count + ABREAST - streams.length))));
    await settle(size);
    const grown = (await residentBytes(parlance.pid)) - before;
    const lost = streams.filter(({ destroyed }) => destroyed).length;
    if (lost > 0) throw new Error(`${lost} of ${streams.length} streams broke off`);
    const each = grown / count;
    return [
      {
        name: `memory of ${count} open event streams`,
        measured: `+${megabytes(grown)}, ${(each / 1024).toFixed(0)} kB each`,
        baseline: `before: ${megabytes(before)}`,
        ratio: '',
        target: '≤ 60 kB each (5,000 in +300 MB)',
        met: each <= LIMIT_EACH,
      },
    ];
  } finally {
    for (const stream of streams) stream.destroy();
    await parlance.kill();
    await parlance.dispose();
    media.close();
  }
}

/** Each on a connection of its own, its first event received. */
const openStreams = (api, jobId, count) => Promise.all(Array.from({ length: count }, () => openStream(api, jobId)));

function openStream(api, jobId) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${api.apiKey}`, accept: 'text/event-stream' };
    const outgoing = request(`${api.url}/api/v1/transcriptions/${jobId}/events`, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`events: ${response.statusCode}`));
      response.once('data', () => resolve(outgoing));
      response.once('error', () => undefined).resume();
    });
    outgoing.once('error', reject).end();
  });
}

/** Waits until the polls of the jobs have run, so that their garbage is collected. */
const settle = (size) => new Promise((resolve) => setTimeout(resolve, SETTLE_MS[size]));

/** From /proc (Linux). */
async function residentBytes(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}
