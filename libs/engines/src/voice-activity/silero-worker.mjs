// Runs Silero VAD in a process of its own (SileroProcess). Plain JavaScript, so that it runs as it is from src/ and from dist/.
// Its argument: `{ model, threshold, minSilence, minSpeech, maxSpeech }` as JSON, durations in samples. In, on standard input:
// blocks of samples (s16le) after their length in bytes (u32le); an empty one ends the recording, and the next block begins another.
// Out, on descriptor 3, a line for each: the ended regions as `[[firstSample, sampleAfterLast], …]`. It ends with its input, and so
// with its parent.
import { readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { FRAME, SpeechRegions, WINDOW } from './speech-regions.mjs';

const { InferenceSession, Tensor } = createRequire(import.meta.url)('onnxruntime-node');
const INPUT = 0;
const ANSWERS = 3;

const { model, ...limits } = JSON.parse(process.argv[2]);
// One thread, since recordings are judged beside each other, and no arena, whose memory stays.
const session = await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential', enableCpuMemArena: false, enableMemPattern: false });

/** Samples of a window that the next one has as context. */
const CONTEXT = FRAME - WINDOW;

/** The model's state before the first window of a recording. */
const START = new Tensor('float32', new Float32Array(2 * 128), [2, 1, 128]);

// Both arrays are used again for each block: new ones would be garbage.
/** Samples that were not judged yet, and before them the context of the next window. */
let samples = new Float32Array(FRAME);
let filled = 0;
/** The model's input. */
let frames = new Float32Array(FRAME);

let state = START;
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

function accept(block) {
  samples = grown(samples, filled + block.length);
  for (const sample of block) samples[filled++] = sample / 32_768;
  return judge(Math.max(0, Math.floor((filled - CONTEXT) / WINDOW)));
}

/** A last window that lacks part of its context is judged with silence; one that is not whole is not judged. */
async function finish() {
  const ended = filled > WINDOW ? await judgePadded() : [];
  const open = regions.end();
  // Nothing of this recording reaches the next one.
  filled = 0;
  state = START;
  regions = new SpeechRegions(limits);
  return open ? [...ended, open] : ended;
}

function judgePadded() {
  samples.fill(0, filled, FRAME);
  filled = FRAME;
  return judge(1);
}

/** Judges the next windows in one run. @returns the regions that ended with them */
async function judge(windows) {
  if (windows === 0) return [];
  const { output, stateN } = await session.run({ input: new Tensor('float32', framesOf(windows), [windows, 1, FRAME]), state });
  state = stateN;
  samples.copyWithin(0, windows * WINDOW, filled);
  filled -= windows * WINDOW;
  return Array.from(output.data, (probability) => regions.accept(probability)).filter((region) => region !== undefined);
}

/** The next windows, each after its context. */
function framesOf(windows) {
  frames = grown(frames, windows * FRAME);
  for (let nth = 0; nth < windows; nth += 1) frames.set(samples.subarray(nth * WINDOW, nth * WINDOW + FRAME), nth * FRAME);
  return frames.subarray(0, windows * FRAME);
}

/** The array itself when it is long enough. */
function grown(array, length) {
  if (array.length >= length) return array;
  const larger = new Float32Array(length);
  larger.set(array);
  return larger;
}
