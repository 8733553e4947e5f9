// Judges a recording by the original Silero model and by the one made of it, several streams at once, and prints the largest
// difference of two probabilities. The original takes one window of each stream in a run, the other several. Its argument: the path
// of the recording's samples (s16le, 16 kHz).
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { InferenceSession, Tensor } from 'onnxruntime-node';

const STREAMS = 3;
const [CONTEXT, WINDOW, STATE] = [64, 512, 128];
const FRAME = CONTEXT + WINDOW;
/** Windows of a stream in one run; the last run has fewer. */
const AT_ONCE = 7;

const bytes = await readFile(process.argv[2]);
const samples = new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 2));
const windows = Math.floor(samples.length / WINDOW / STREAMS);
const rate = new Tensor('int64', BigInt64Array.of(16_000n), [1]);
const original = await probabilities('./models/silero_vad_v6.onnx', 1, (frames) => ({ input: new Tensor('float32', frames, [STREAMS, FRAME]), sr: rate }));
const batched = await probabilities('../models/silero_vad_v6_batched.onnx', AT_ONCE, (frames) => ({ input: new Tensor('float32', frames, [frames.length / STREAMS / FRAME, STREAMS, FRAME]) }));
console.log(Math.max(...original.map((probability, at) => Math.abs(probability - batched[at]))));

/** Each stream is a part of the recording. @param feedsOf the model's input for the frames of some windows, those of all streams in turn */
async function probabilities(path, atOnce, feedsOf) {
  const session = await InferenceSession.create(fileURLToPath(new URL(path, import.meta.url)));
  const found = [];
  let state = new Tensor('float32', new Float32Array(2 * STREAMS * STATE), [2, STREAMS, STATE]);
  for (let window = 0; window < windows; window += atOnce) {
    const { output, stateN } = await session.run({ ...feedsOf(framesFrom(window, Math.min(atOnce, windows - window))), state });
    found.push(...output.data);
    state = stateN;
  }
  return found;
}

function framesFrom(window, count) {
  const frames = new Float32Array(count * STREAMS * FRAME);
  for (let nth = 0; nth < count * STREAMS; nth += 1) {
    const first = ((nth % STREAMS) * windows + window + Math.floor(nth / STREAMS)) * WINDOW - CONTEXT;
    for (let n = 0; n < FRAME; n += 1) frames[nth * FRAME + n] = (samples[first + n] ?? 0) / 32_768;
  }
  return frames;
}
