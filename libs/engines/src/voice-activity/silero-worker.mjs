// Runs Silero VAD in a process of its own (SileroProcess). Plain JavaScript, so that it runs as it is from src/ and from dist/.
// Its argument: `{ model, threshold, minSilence, minSpeech, maxSpeech }` as JSON, durations in samples. In, on standard input:
// blocks of samples (s16le) after their length in bytes (u32le); an empty one ends the recording, and the next block begins another.
// Out, on descriptor 3, a line for each: the ended regions as `[[firstSample, sampleAfterLast], …]`. It ends with its input, and so
// with its parent.
import { readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { FRAME, SpeechRegions, WINDOW } from './speech-regions.mjs';

const { InferenceSession, Tensor } = createRequire(import.meta.url)('onnxruntime-node');
const SAMPLE_RATE = 16_000;
const INPUT = 0;
const ANSWERS = 3;

const { model, ...limits } = JSON.parse(process.argv[2]);
// One thread, and no arena: a window is too little work to share, and an arena keeps memory for work that never comes.
const session = await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential', enableCpuMemArena: false, enableMemPattern: false });

/** The model's state before the first window of a recording. */
const START = new Tensor('float32', new Float32Array(2 * 128), [2, 1, 128]);

/** The model's input, written in place for each window; the last 64 samples of one are the first of the next. */
const frame = new Float32Array(FRAME);
const feeds = {
  input: new Tensor('float32', frame, [1, FRAME]),
  state: START,
  sr: new Tensor('int64', BigInt64Array.of(BigInt(SAMPLE_RATE)), [1]),
};
let filled = 0;
let regions = new SpeechRegions(limits);

/** Names in the list of processes, which tell a process at work from one kept for the next recording. */
const WORKING = 'silero';
const IDLE = 'silero-idle';
process.title = WORKING;

// Ctrl-C at a terminal also reaches this process. The parent decides when the detection ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});

const length = Buffer.alloc(4);
let block = Buffer.alloc(0);
while (readWhole(length)) {
  const bytes = length.readUInt32LE();
  if (bytes > block.byteLength) block = Buffer.alloc(bytes);
  if (!readWhole(block.subarray(0, bytes))) break;
  process.title = bytes === 0 ? IDLE : WORKING;
  const ended = bytes === 0 ? await finish() : await accept(new Int16Array(block.buffer, block.byteOffset, bytes / 2));
  writeSync(ANSWERS, `${JSON.stringify(ended)}\n`);
}
process.exit();

/** Fills it. @returns false when the input has ended before */
function readWhole(bytes) {
  for (let at = 0; at < bytes.byteLength; ) {
    const read = readSync(INPUT, bytes, at, bytes.byteLength - at);
    if (read === 0) return false;
    at += read;
  }
  return true;
}

async function accept(samples) {
  const ended = [];
  for (const sample of samples) {
    frame[filled++] = sample / 32_768;
    if (filled === FRAME) ended.push(...(await judgeFrame()));
  }
  return ended;
}

/** A last window that lacks part of its context is judged with silence; one that is not whole is not judged. */
async function finish() {
  const ended = filled > WINDOW ? await judgePaddedFrame() : [];
  const open = regions.end();
  // Nothing of this recording reaches the next one.
  filled = 0;
  feeds.state = START;
  regions = new SpeechRegions(limits);
  return open ? [...ended, open] : ended;
}

function judgePaddedFrame() {
  frame.fill(0, filled);
  return judgeFrame();
}

async function judgeFrame() {
  const { output, stateN } = await session.run(feeds);
  feeds.state = stateN;
  frame.copyWithin(0, WINDOW);
  filled = FRAME - WINDOW;
  const region = regions.accept(output.data[0]);
  return region ? [region] : [];
}
