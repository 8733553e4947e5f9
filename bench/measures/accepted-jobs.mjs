import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { ParlanceProcess } from '@parlance/testing';
import autocannon from 'autocannon';
import { percent } from '../table.mjs';

const SECONDS = { smoke: 1, quick: 8, full: 20 };
const CONNECTIONS = 32;

/** POST /transcriptions against a bare Nest + Fastify route that parses the same body; each in a process of its own. */
export async function acceptedJobs(size) {
  const seconds = SECONDS[size];
  const media = await silentServer();
  try {
    const baseline = await bareRoute(media.url, seconds);
    const power = await accepted('power', media.url, seconds);
    const throughProcess = await accepted('process', media.url, seconds);
    const ratio = power.rate / baseline.rate;
    return [
      { name: 'accepted jobs, DURABILITY=power', measured: shown(power), baseline: `bare route ${shown(baseline)}`, ratio: percent(ratio), target: '≥ 5 %', met: ratio >= 0.05 },
      { name: 'accepted jobs, DURABILITY=process', measured: shown(throughProcess), baseline: `bare route ${shown(baseline)}`, ratio: percent(throughProcess.rate / baseline.rate), target: '' },
      { name: 'price of DURABILITY=power', measured: shown(power), baseline: `process ${shown(throughProcess)}`, ratio: percent(power.rate / throughProcess.rate), target: '' },
    ];
  } finally {
    media.close();
  }
}

const shown = ({ rate, p99 }) => `${rate.toFixed(0)}/s, p99 ${p99} ms`;

async function bareRoute(audioUrl, seconds) {
  const bare = fork(fileURLToPath(new URL('../bare-route.mjs', import.meta.url)));
  try {
    const [{ url }] = await once(bare, 'message');
    const body = jobOf(audioUrl);
    await load({ url, headers: {}, body, seconds: 1 });
    return await load({ url, headers: {}, body, seconds });
  } finally {
    bare.kill();
  }
}

async function accepted(durability, audioUrl, seconds) {
  const parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn', DURABILITY: durability } });
  try {
    return await acceptedPerSecond(parlance.api, audioUrl, seconds);
  } finally {
    await parlance.kill();
    await parlance.dispose();
  }
}

const jobOf = (audioUrl) => JSON.stringify({ audio_url: audioUrl, language: 'en', metadata: { source: 'bench' } });

/** Jobs by address that the API takes from 32 connections. @returns {Promise<{ rate: number, p99: number }>} a second; milliseconds */
export const acceptedPerSecond = (api, audioUrl, seconds) =>
  load({ url: `${api.url}/api/v1/transcriptions`, headers: { authorization: `Bearer ${api.apiKey}` }, body: jobOf(audioUrl), seconds });

async function load({ url, headers, body, seconds }) {
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    connections: CONNECTIONS,
    duration: seconds,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} errors`);
  return { rate: result.requests.average, p99: result.latency.p99 };
}

/** Takes connections and never answers, so that accepted jobs wait and what is measured is accepting. */
export function silentServer() {
  const server = createServer(() => {});
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const close = () => {
        server.closeAllConnections();
        server.close();
      };
      resolve({ url: `http://127.0.0.1:${server.address().port}/a.wav`, close });
    });
  });
}
