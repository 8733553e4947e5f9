// `node bench/live/late-container.mjs FILE.webm SECONDS`: a container session that connects again in its last minute, to a process that
// has decoded nothing of it. Prints the time until it is caught up, and the memory that this takes.
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { mediaKeys } from '@parlance/contracts';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore } from '@parlance/storage';
import { ParlanceProcess } from '@parlance/testing';
import { WebSocket } from 'ws';

const { liveSessionCollection } = await import(new URL('../../apps/gateway/dist/live/session/live-session.js', import.meta.url));

const [path, secondsText] = process.argv.slice(2);
const SECONDS = Number(secondsText);
const LAST_SECONDS = 60;
/** Recognition restarts at a multiple of so many samples. */
const WINDOW = 512;
const SETTINGS = { SPEECH_ENGINE_URL: 'fixture:', LIVE_SESSION_MAX_MINUTES: '600', LOG_LEVEL: 'warn' };

const dataFolder = await mkdtemp(join(tmpdir(), 'parlance-late-container-'));
try {
  await measure();
} finally {
  await rm(dataFolder, { recursive: true, force: true });
}

async function measure() {
  const { size } = await stat(path);
  const acknowledged = Math.floor(size * (1 - LAST_SECONDS / SECONDS));
  await using parlance = await ParlanceProcess.start({ dataFolder, env: SETTINGS });
  const { id } = await (await parlance.api.post('/live', { language: 'en', diarization: false, summary: false, highlights: false })).json();
  await parlance.stop();
  const pieces = await pretendStored(id, acknowledged);
  await parlance.restart();
  const before = await residentMegabytes(parlance);
  let peak = before;
  const sampling = setInterval(async () => (peak = Math.max(peak, await residentMegabytes(parlance))), 200);
  const { caughtUp, finished } = await resume(parlance.api, id, acknowledged).finally(() => clearInterval(sampling));
  console.log(`${SECONDS} s of ${(size / 1e6).toFixed(1)} MB, ${pieces} pieces stored; caught up ${caughtUp.toFixed(1)} s after the connection, finished after ${finished.toFixed(1)} s; resident memory of the processes ${before.toFixed(0)} MB before, ${peak.toFixed(0)} MB at the peak`);
}

/** The state that a server leaves that was killed a minute before the end: a piece for each second. */
async function pretendStored(id, acknowledged) {
  const documents = await openDocumentDatabase(`sqlite:${join(dataFolder, 'documents', 'gateway.db')}`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'gateway' });
  const media = await openMediaStore(`file:${join(dataFolder, 'media')}`);
  const sessions = documents.collection(liveSessionCollection);
  const { accountId } = (await sessions.get(id)).document;
  const audioMs = (SECONDS - LAST_SECONDS) * 1000;
  const sample = Math.floor((audioMs * 16) / WINDOW) * WINDOW;
  const size = Math.ceil(acknowledged / (audioMs / 1000));
  await using file = await open(path);
  let pieces = 0;
  for (let at = 0; at < acknowledged; at += size, pieces += 1) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, acknowledged - at)), 0, Math.min(size, acknowledged - at), at);
    await media.put(mediaKeys(accountId, id).livePiece(at, 1), Readable.from([buffer.subarray(0, bytesRead)]));
  }
  const later = new Date(Date.now() + 3_600_000).toISOString();
  await sessions.update(id, (session) => ({ document: { ...session, generation: 1, generations: [{ generation: 1, from: 0 }], acknowledged, audioMs, restart: { sample, utterances: 0 }, resumeUntil: later } }));
  await documents.close();
  return pieces;
}

/** Sends the last minute at once. @returns seconds from the connection until all that was stored is recognized, and until `finished` */
async function resume(api, id, acknowledged) {
  const rest = (await readFile(path)).subarray(acknowledged);
  const { token } = await (await api.request('POST', `/live/${id}/tokens`)).json();
  const startedAt = performance.now();
  const socket = new WebSocket(`${api.url.replace(/^http/, 'ws')}/api/v1/live/${id}/socket`, ['parlance.v1', `token.${token}`]);
  const seconds = () => (performance.now() - startedAt) / 1000;
  const times = {};
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.type === 'ready') {
      for (let at = 0; at < rest.length; at += 8000) socket.send(rest.subarray(at, at + 8000));
      socket.send(JSON.stringify({ type: 'finish' }));
    }
    if (message.type === 'final' || message.type === 'speech_started') times.caughtUp ??= seconds();
    if (message.type === 'finished') times.finished = seconds();
    if (message.type === 'error') console.log(message);
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return times;
}

async function residentMegabytes(parlance) {
  const pids = [parlance.pid, ...(await parlance.programs()).map(({ pid }) => pid)];
  const sizes = await Promise.all(pids.map(async (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))?.[1] ?? 0)));
  return sizes.reduce((sum, kilobytes) => sum + kilobytes / 1024, 0);
}
