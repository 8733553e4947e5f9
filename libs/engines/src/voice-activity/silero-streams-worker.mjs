// Runs Silero VAD for many streams at once in a process of its own (SileroStreams). Plain JavaScript, so that it runs as it is from
// src/ and from dist/. Its argument: `{ model }` as JSON, the path of the model. In, on standard input: blocks after their
// length in bytes (u32le). A block is a list of parts: the number of a stream (u32le), the number of its windows (u32le), their
// samples (s16le, 512 a window). A part without windows forgets the stream. Out, on descriptor 3, a line for each block: for each
// part the probabilities of speech of its windows, in thousandths. It ends with its input, and so with its parent.
import { readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { FRAME, WINDOW } from './speech-regions.mjs';

const { InferenceSession, Tensor } = createRequire(import.meta.url)('onnxruntime-node');
const INPUT = 0;
const ANSWERS = 3;
const CONTEXT = FRAME - WINDOW;
/** Values of the model's state: two layers. */
const LAYER = 128;

const { model } = JSON.parse(process.argv[2]);
// The arena saves a fifth of the CPU time: with our settings of the allocator, each tensor of a large batch would be mapped and unmapped.
const session = await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential', enableMemPattern: false });

/** No sample of a quiet window is larger: -66 dB of full scale. */
const QUIET = 16;
/** Quiet windows in a row, 0.26 s, after which the model is sure that there is no speech: further ones need no judgement. */
const CALM_WINDOWS = 8;

/** By number: the model's state after the last window, the samples that the next one has as context, and the quiet windows in a row. */
const streams = new Map();
const opened = () => ({ state: new Float32Array(2 * LAYER), context: new Float32Array(CONTEXT), quiet: CALM_WINDOWS });

process.title = 'silero-streams';
// Ctrl-C at a terminal also reaches this process. The parent decides when it ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});

const length = Buffer.alloc(4);
while (readWhole(length)) {
  const block = Buffer.alloc(length.readUInt32LE());
  if (!readWhole(block)) break;
  writeSync(ANSWERS, `${JSON.stringify(await judge(partsOf(block)))}\n`);
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

function partsOf(block) {
  const parts = [];
  for (let at = 0; at < block.byteLength; ) {
    const windows = block.readUInt32LE(at + 4);
    parts.push({ stream: block.readUInt32LE(at), windows, samples: new Int16Array(block.buffer, block.byteOffset + at + 8, windows * WINDOW) });
    at += 8 + windows * WINDOW * 2;
  }
  return parts;
}

/** Judges the first windows of all parts together, then the second ones, and so on. */
async function judge(parts) {
  const probabilities = parts.map(({ windows }) => Array.from({ length: windows }, () => 0));
  const longest = parts.reduce((most, { windows }) => Math.max(most, windows), 0);
  for (let nth = 0; nth < longest; nth += 1) {
    const judged = [...parts.entries()].filter(([, part]) => nth < part.windows && !isSilence(part, nth));
    if (judged.length === 0) continue;
    const found = await judgeWindows(judged.map(([, part]) => windowOf(part, nth)));
    for (const [at, [part]] of judged.entries()) probabilities[part][nth] = Math.round(found[at] * 1000);
  }
  for (const { stream, windows } of parts) if (windows === 0) streams.delete(stream);
  return probabilities;
}

function windowOf({ stream, samples }, nth) {
  if (!streams.has(stream)) streams.set(stream, opened());
  return { stream: streams.get(stream), samples: samples.subarray(nth * WINDOW, (nth + 1) * WINDOW) };
}

/** True for a window that the model need not judge. @returns the same however the stream was cut into blocks */
function isSilence(part, nth) {
  const { stream, samples } = windowOf(part, nth);
  stream.quiet = isQuiet(samples) ? stream.quiet + 1 : 0;
  if (stream.quiet <= CALM_WINDOWS) return false;
  for (let n = 0; n < CONTEXT; n += 1) stream.context[n] = samples[WINDOW - CONTEXT + n] / 32_768;
  return true;
}

function isQuiet(samples) {
  for (let n = 0; n < WINDOW; n += 1) if (samples[n] > QUIET || samples[n] < -QUIET) return false;
  return true;
}

async function judgeWindows(windows) {
  const frames = new Float32Array(windows.length * FRAME);
  const states = new Float32Array(2 * windows.length * LAYER);
  for (const [at, { stream, samples }] of windows.entries()) {
    const frame = frames.subarray(at * FRAME, (at + 1) * FRAME);
    frame.set(stream.context);
    for (let n = 0; n < WINDOW; n += 1) frame[CONTEXT + n] = samples[n] / 32_768;
    stream.context.set(frame.subarray(WINDOW));
    for (const layer of [0, 1]) states.set(stream.state.subarray(layer * LAYER, (layer + 1) * LAYER), (layer * windows.length + at) * LAYER);
  }
  const { output, stateN } = await session.run({ input: new Tensor('float32', frames, [1, windows.length, FRAME]), state: new Tensor('float32', states, [2, windows.length, LAYER]) });
  for (const [at, { stream }] of windows.entries()) {
    for (const layer of [0, 1]) stream.state.set(stateN.data.subarray((layer * windows.length + at) * LAYER, (layer * windows.length + at + 1) * LAYER), layer * LAYER);
  }
  return output.data;
}
