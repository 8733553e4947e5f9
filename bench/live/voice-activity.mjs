// `node bench/live/voice-activity.mjs [STREAMS]`: the CPU time that the voice activity model takes for a second of audio, while so many
// live streams speak at once. Linux.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SileroStreams } from '@parlance/engines';
import { pcmOf } from '../media.mjs';

const STREAMS = Number(process.argv[2] ?? 256);
/** Windows of 32 ms that each stream sends at a time. */
const WINDOWS = 6;
const ROUNDS = 20;
const WINDOW_BYTES = 1024;
/** Bytes of the recording between two streams: people do not say the same at the same time. */
const SHIFT_BYTES = 99_200;
/** Milliseconds of a tick of /proc. */
const CPU_TICK_MS = 10;

const pcm = pcmOf(fileURLToPath(new URL('../../samples/meeting.mp3', import.meta.url)));
const model = new SileroStreams();
const streams = Array.from({ length: STREAMS }, () => model.open());
// The process of the model has started when it has answered.
await judgeAll(0);
const before = await modelMs();
for (let round = 1; round <= ROUNDS; round += 1) await judgeAll(round);
const seconds = (STREAMS * ROUNDS * WINDOWS * 32) / 1000;
console.log(`${STREAMS} streams: ${(((await modelMs()) - before) / seconds).toFixed(2)} ms of a core for a second of audio`);
await model.close();

async function judgeAll(round) {
  await Promise.all(streams.map((stream, index) => stream.judge([windowsAt(index * SHIFT_BYTES + round * WINDOWS * WINDOW_BYTES)])));
}

function windowsAt(byte) {
  const from = byte % (pcm.byteLength - WINDOWS * WINDOW_BYTES);
  return pcm.subarray(from, from + WINDOWS * WINDOW_BYTES);
}

async function modelMs() {
  const child = (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).trim();
  const stat = await readFile(`/proc/${child}/stat`, 'utf8');
  // After the name, which may hold anything: user and system time are the 12th and 13th fields.
  const [user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 13).map(Number);
  return (user + system) * CPU_TICK_MS;
}
