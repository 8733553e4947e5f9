// Memory that each open session adds to the process, and the longest hold of its event loop, while many speak at once.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ParlanceProcess, residentBytes } from '@parlance/testing';
import { pcmOf } from '../media.mjs';
import { quantile } from '../table.mjs';
import { BYTES_A_SECOND, openSession } from './timed-session.mjs';

const SESSIONS = { smoke: 5, quick: 50, full: 500 };
const SECONDS = { smoke: 3, quick: 10, full: 20 };
/** Sessions that are opened first, and at a time: their code and buffers are not counted for each. */
const ABREAST = 5;
const BLOCK_MS = 200;
const TARGET = { kilobytes: 200, held: 50 };
const WATCH = fileURLToPath(new URL('watch-turns.mjs', import.meta.url));
const MEETING = fileURLToPath(new URL('../../samples/meeting.mp3', import.meta.url));

export async function manySessions(size) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
  const env = { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn', LIVE_SESSIONS_PER_ACCOUNT: '1000', LIVE_STREAMS: '1000', NODE_OPTIONS: `--import=${WATCH}`, TURNS_FOLDER: folder };
  const parlance = await ParlanceProcess.start({ env });
  const sessions = [];
  try {
    const pcm = pcmOf(MEETING);
    await open(parlance.api, sessions, ABREAST);
    await speak(sessions, pcm, SECONDS[size]);
    const before = await residentBytes(parlance.pid);
    await open(parlance.api, sessions, SESSIONS[size]);
    process.kill(parlance.pid, 'SIGUSR2');
    const watch = peakOf(parlance.pid);
    const lags = await speak(sessions, pcm, SECONDS[size]);
    const grown = (await watch.stop()) - before;
    await sleep(600);
    const { max, p99 } = JSON.parse(await readFile(join(folder, String(parlance.pid)), 'utf8'));
    return rows({ count: SESSIONS[size], each: grown / SESSIONS[size] / 1024, before, max, p99, lags });
  } finally {
    for (const { socket } of sessions) socket.terminate();
    await parlance.kill();
    await parlance.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

function rows({ count, each, before, max, p99, lags }) {
  return [
    {
      name: `live: memory of ${count} sessions that speak at once, fixture engine`,
      measured: `${each.toFixed(0)} kB each at the peak`,
      baseline: `before: ${(before / 1024 / 1024).toFixed(0)} MB`,
      ratio: `stored and not recognized yet: median ${quantile(lags, 0.5)} ms, p99 ${quantile(lags, 0.99)} ms`,
      target: `< ${TARGET.kilobytes} kB each`,
      met: each < TARGET.kilobytes,
    },
    { name: `live: event loop held beside ${count} sessions`, measured: `${max.toFixed(0)} ms at most`, baseline: `p99: ${p99.toFixed(0)} ms`, ratio: '', target: `< ${TARGET.held} ms`, met: max < TARGET.held },
  ];
}

async function open(api, sessions, count) {
  for (let opened = 0; opened < count; opened += ABREAST) {
    sessions.push(...(await Promise.all(Array.from({ length: Math.min(ABREAST, count - opened) }, () => openSession(api, { partials: false, diarization: false, summary: false })))));
  }
}

/** All sessions send the same seconds at the speed of speech, not at the same moment. @returns the last lag that each was told, sorted */
async function speak(sessions, pcm, seconds) {
  const lags = await Promise.all(sessions.map(({ socket }, index) => speakOne(socket, pcm, { seconds, delay: (index * 7) % BLOCK_MS })));
  return lags.toSorted((one, other) => one - other);
}

async function speakOne(socket, pcm, { seconds, delay }) {
  let lag = 0;
  const readLag = (data) => (lag = JSON.parse(String(data)).lag_ms ?? lag);
  socket.on('message', readLag);
  const block = (BLOCK_MS / 1000) * BYTES_A_SECOND;
  const startedAt = performance.now() + delay;
  for (let sent = 0; sent * BLOCK_MS < seconds * 1000; sent += 1) {
    await sleep(Math.max(0, startedAt + sent * BLOCK_MS - performance.now()));
    if (socket.readyState !== socket.OPEN) throw new Error('a session broke off');
    socket.send(pcm.subarray(sent * block, (sent + 1) * block));
  }
  socket.off('message', readLag);
  return lag;
}

/** The largest resident memory until it is stopped. */
function peakOf(pid) {
  let peak = 0;
  const look = async () => (peak = Math.max(peak, await residentBytes(pid)));
  const timer = setInterval(() => void look().catch(() => undefined), 250);
  return {
    stop: async () => {
      clearInterval(timer);
      await look();
      return peak;
    },
  };
}
