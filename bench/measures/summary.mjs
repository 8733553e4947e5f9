import { setImmediate } from 'node:timers/promises';
import { ThreadedExtractiveEngine } from '@parlance/summary/extractive';
import { labelledSet } from '../search-quality/labelled-set.mjs';

const HOURS = { smoke: [0.1], quick: [1], full: [1, 10] };
const TARGET = { seconds: 5, held: 50 };
/** As people talk with each other. */
const WORDS_A_SECOND = 2.5;
const RUNS = 3;

/** A recording's summary and highlights by the built-in engine: time on one core, and how long the main thread is held at once. */
export async function summary(size) {
  const rows = [];
  for (const hours of HOURS[size]) rows.push(...(await measured(hours)));
  return rows;
}

async function measured(hours) {
  const transcript = conversation(hours * 3600);
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await timed(transcript));
  // Each run starts the thread, as the first work of a service does.
  const seconds = Math.max(...runs.map((run) => run.seconds));
  const held = Math.max(...runs.map((run) => run.held));
  const name = `summary and highlights of ${hours} h, built-in`;
  const isHour = hours === 1;
  return [
    { name, measured: `${seconds.toFixed(2)} s of one core`, baseline: `${transcript.lines.length} segments`, ratio: '', target: isHour ? '< 5 s' : '', ...(isHour && { met: seconds < TARGET.seconds }) },
    { name: `${name}: main thread held`, measured: `at most ${held.toFixed(1)} ms`, baseline: '', ratio: '', target: '< 50 ms', met: held < TARGET.held },
  ];
}

async function timed(transcript) {
  const engine = new ThreadedExtractiveEngine();
  const { signal } = new AbortController();
  const before = otherThreadsSeconds();
  const turns = watchTurns();
  await engine.summarize(transcript, { format: 'minutes' }, signal);
  await engine.highlight(transcript, signal);
  const held = turns.stop();
  const seconds = otherThreadsSeconds() - before;
  await engine.close();
  return { seconds, held };
}

/** Without this one's, which is kept busy by being watched. */
const otherThreadsSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 - threadMs() / 1000;
};

const threadMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** The longest time of this thread's core between two turns of its event loop, in milliseconds: other programs on the machine do not count. */
function watchTurns() {
  const watching = new AbortController();
  let longest = 0;
  void (async () => {
    for (let last = threadMs(); !watching.signal.aborted; ) {
      await setImmediate();
      const now = threadMs();
      [longest, last] = [Math.max(longest, now - last), now];
    }
  })();
  return {
    stop: () => {
      watching.abort();
      return longest;
    },
  };
}

/** Sentences of the labelled conversations, one after the other and from the beginning again, at the pace of talk. */
function conversation(duration) {
  const sentences = labelledSet().transcripts.flatMap(({ turns }) => turns.flatMap(({ speaker, text }) => text.split(/(?<=[.?!]) /).map((said) => ({ speakerId: speaker, text: said }))));
  const lines = [];
  let time = 0;
  for (let index = 0; time < duration; index += 1) {
    const sentence = sentences[index % sentences.length];
    const length = sentence.text.split(' ').length / WORDS_A_SECOND;
    lines.push({ segmentId: `seg_${String(index + 1).padStart(6, '0')}`, start: time, end: time + length, ...sentence });
    time += length + 0.4;
  }
  const speakers = [...new Set(lines.map(({ speakerId }) => speakerId))].map((speakerId) => ({ speakerId, name: speakerId, talkTime: 0 }));
  return { language: 'en', duration: time, speakers, lines, recordedAt: new Date('2026-11-18T10:00:00Z') };
}
