// Memory that each open session takes, the CPU time of a second of its audio, the longest hold of the event loop, and how late finals are,
// while many sessions speak at once. This process sends the audio; the product and its voice activity model have processes of their own.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
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
const BLOCK_BYTES = (BLOCK_MS / 1000) * BYTES_A_SECOND;
/** Seconds of the recording between the beginnings of two sessions: people do not say the same at the same time. */
const SHIFT_SECONDS = 3.1;
/** Seconds of the pause that ends an utterance. */
const ENDPOINT_SECONDS = 0.5;
/** Milliseconds of a tick of /proc. */
const CPU_TICK_MS = 10;
const TARGET = { kilobytes: 200, held: 50 };
const WATCH = fileURLToPath(new URL('watch-process.mjs', import.meta.url));
const MEETING = fileURLToPath(new URL('../../samples/meeting.mp3', import.meta.url));

export async function manySessions(size) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
  const env = { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn', LIVE_SESSIONS_PER_ACCOUNT: '1000', LIVE_STREAMS: '1000', NODE_OPTIONS: `--import=${WATCH}`, WATCH_FOLDER: folder };
  const parlance = await ParlanceProcess.start({ env });
  const sessions = [];
  try {
    return rows(await measured(parlance, { folder, sessions, count: SESSIONS[size], seconds: SECONDS[size] }));
  } finally {
    for (const { socket } of sessions) socket.terminate();
    await parlance.kill();
    await parlance.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measured(parlance, { folder, sessions, count, seconds }) {
  const file = join(folder, String(parlance.pid));
  const pcm = pcmOf(MEETING);
  await open(parlance.api, sessions, ABREAST);
  await speak(sessions, pcm, seconds);
  const without = { live: (await begunAnew(parlance.pid, file)).live, resident: await residentBytes(parlance.pid) };
  await open(parlance.api, sessions, count);
  await begunAnew(parlance.pid, file);
  const [peak, model, own] = [peakOf(parlance.pid), await modelMs(parlance), process.cpuUsage()];
  const spoken = await speak(sessions, pcm, seconds);
  const generator = process.cpuUsage(own);
  const resident = (await peak.stop()) - without.resident;
  const [{ cpuMs, heldMs, delayMs, delayP99Ms }, modelCpuMs] = [await figures(file), (await modelMs(parlance)) - model];
  const live = (await begunAnew(parlance.pid, file)).live - without.live;
  const audio = sessions.length * seconds;
  const cpu = { service: cpuMs / audio, model: modelCpuMs / audio, generator: (generator.user + generator.system) / 1000 / audio };
  return { count, sessions: sessions.length, seconds, without, each: { resident: resident / count / 1024, live: live / count / 1024 }, cpu, heldMs, delayMs, delayP99Ms, ...spoken };
}

function rows({ count, sessions, seconds, without, each, cpu, heldMs, delayMs, delayP99Ms, late, lags }) {
  const cores = (sessions * (cpu.service + cpu.model + cpu.generator)) / 1000;
  return [
    {
      name: `live: memory of each of ${count} sessions that speak at once, fixture engine`,
      measured: `${each.live.toFixed(0)} kB of objects and buffers after a collection`,
      baseline: `without them: ${(without.live / 2 ** 20).toFixed(0)} MB`,
      ratio: `resident: ${each.resident.toFixed(0)} kB each at the peak, over ${(without.resident / 2 ** 20).toFixed(0)} MB`,
      target: `< ${TARGET.kilobytes} kB each`,
      met: each.live < TARGET.kilobytes,
    },
    {
      name: `live: event loop held beside ${count} sessions`,
      measured: `${delayMs.toFixed(0)} ms at most`,
      baseline: `p99: ${delayP99Ms.toFixed(0)} ms`,
      ratio: `of its own CPU time: ${heldMs.toFixed(0)} ms at most`,
      target: `< ${TARGET.held} ms`,
      met: delayMs < TARGET.held,
    },
    {
      name: `live: CPU time of a second of audio, ${count} sessions`,
      measured: `service ${cpu.service.toFixed(2)} ms, voice activity ${cpu.model.toFixed(2)} ms`,
      baseline: `load generator: ${cpu.generator.toFixed(2)} ms`,
      ratio: `${cores.toFixed(1)} of ${cpus().length} cores in these ${seconds} s`,
      target: '',
    },
    {
      name: `live: how late finals are beside ${count} sessions, after the pause of ${ENDPOINT_SECONDS * 1000} ms`,
      measured: late.length > 0 ? `median ${quantile(late, 0.5).toFixed(1)} s, p99 ${quantile(late, 0.99).toFixed(1)} s of ${late.length} finals` : 'no final came',
      baseline: `stored and without a final at the end: median ${(quantile(lags, 0.5) / 1000).toFixed(1)} s, p99 ${(quantile(lags, 0.99) / 1000).toFixed(1)} s`,
      ratio: '',
      target: '',
    },
  ];
}

async function open(api, sessions, count) {
  for (let opened = 0; opened < count; opened += ABREAST) {
    sessions.push(...(await Promise.all(Array.from({ length: Math.min(ABREAST, count - opened) }, () => openSession(api, { partials: false, diarization: false, summary: false })))));
  }
}

/** All sessions send so many seconds at the speed of speech, each from another place of the recording. @returns sorted: seconds that finals came late, and the last lag of each session in milliseconds */
async function speak(sessions, pcm, seconds) {
  const [late, lags] = [[], []];
  const twice = Buffer.concat([pcm, pcm]);
  await Promise.all(
    sessions.map(async ({ socket, spoken }, index) => {
      const from = Math.floor(((index * SHIFT_SECONDS * 1000) / BLOCK_MS) % (pcm.byteLength / BLOCK_BYTES)) * BLOCK_BYTES;
      const audio = twice.subarray(from, from + seconds * BYTES_A_SECOND);
      lags.push(await speakOne(socket, audio, { before: spoken, delay: (index * 7) % BLOCK_MS, late }));
      sessions[index].spoken += seconds;
    }),
  );
  return { late: late.toSorted((one, other) => one - other), lags: lags.toSorted((one, other) => one - other) };
}

/** @param before seconds that the session has sent already */
async function speakOne(socket, audio, { before, delay, late }) {
  let lag = 0;
  const startedAt = performance.now() + delay;
  const read = (data) => {
    const message = JSON.parse(String(data));
    lag = message.lag_ms ?? lag;
    if (message.type === 'final' && message.end > before) late.push(before + (performance.now() - startedAt) / 1000 - message.end - ENDPOINT_SECONDS);
  };
  socket.on('message', read);
  for (let sent = 0; sent * BLOCK_BYTES < audio.byteLength; sent += 1) {
    await sleep(Math.max(0, startedAt + sent * BLOCK_MS - performance.now()));
    if (socket.readyState !== socket.OPEN) throw new Error('a session broke off');
    socket.send(audio.subarray(sent * BLOCK_BYTES, (sent + 1) * BLOCK_BYTES));
  }
  socket.off('message', read);
  return lag;
}

const figures = async (file) => JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));

/** The figures of the process after a collection of garbage, from which on they count anew. */
async function begunAnew(pid, file) {
  const { turns = 0 } = await figures(file);
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    await sleep(100);
    const found = await figures(file).catch(() => ({}));
    if (found.turns > turns) return found;
  }
}

/** CPU milliseconds of the product's other processes: the voice activity model. */
async function modelMs(parlance) {
  const stats = await Promise.all((await parlance.programs()).map(({ pid }) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  // After the name, which may hold anything: user and system time are the 12th and 13th fields.
  const ticks = stats.map((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 13).map(Number));
  return ticks.reduce((sum, [user = 0, system = 0]) => sum + user + system, 0) * CPU_TICK_MS;
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
