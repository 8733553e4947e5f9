import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { ParlanceProcess } from '@parlance/testing';
import autocannon from 'autocannon';
import { percent } from '../table.mjs';

const SECONDS = { smoke: 1, quick: 8, full: 20 };
const CONNECTIONS = 32;

/** POST /transcriptions against a bare Nest + Fastify route that parses the same body; both in a process of their own. */
export async function acceptedJobs(size) {
  const media = await silentServer();
  const bare = fork(fileURLToPath(new URL('../bare-route.mjs', import.meta.url)));
  const [{ url: bareUrl }] = await once(bare, 'message');
  const parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn' } });
  try {
    const body = jobOf(media.url);
    await load({ url: bareUrl, headers: {}, body, seconds: 1 });
    const baseline = await load({ url: bareUrl, headers: {}, body, seconds: SECONDS[size] });
    const measured = await acceptedPerSecond(parlance.api, media.url, SECONDS[size]);
    const ratio = measured.rate / baseline.rate;
    return [
      {
        name: 'accepted jobs',
        measured: `${measured.rate.toFixed(0)}/s, p99 ${measured.p99} ms`,
        baseline: `bare route ${baseline.rate.toFixed(0)}/s, p99 ${baseline.p99} ms`,
        ratio: percent(ratio),
        target: '≥ 10 %',
        met: ratio >= 0.1,
      },
    ];
  } finally {
    await parlance.kill();
    await parlance.dispose();
    bare.kill();
    media.close();
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
