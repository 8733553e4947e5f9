// Runs a streaming speech model of sherpa-onnx for many streams in a process of its own. Plain JavaScript, so that it runs as it is
// from src/ and from dist/. In: `{ load: config }`, then `{ parts }`, a list of `{ stream, samples: Int16Array, language?, finish? }`
// and `{ stream, forget: true }`. Out, once for each: `{}`, and for each part the steps of decoding that its audio allowed:
// `{ decoded: seconds, result? }`, with the result where a token was added.
import { createRequire } from 'node:module';
import { answerParent } from '../../local-models/answer-parent.mjs';

const { OnlineRecognizer } = createRequire(import.meta.url)('sherpa-onnx-node');
const SAMPLE_RATE = 16_000;
/** Samples of a frame of features: 10 ms. */
const FRAME = 160;
/** No model takes longer chunks. */
const MAX_FRAMES = 3000;
let recognizer;
/** Seconds of audio that a step of the model takes, and by which the next step is further. */
let chunk;
let shift;
/** By number: the stream, its decoded seconds and its tokens so far. */
const streams = new Map();

function load(config) {
  recognizer = new OnlineRecognizer(config);
  const probe = recognizer.createStream();
  chunk = framesUntilReady(probe) * (FRAME / SAMPLE_RATE);
  recognizer.decode(probe);
  shift = framesUntilReady(probe) * (FRAME / SAMPLE_RATE);
  return {};
}

/** sherpa-onnx does not say how much audio a step takes. */
function framesUntilReady(stream) {
  for (let frames = 0; frames <= MAX_FRAMES; frames += 1) {
    if (recognizer.isReady(stream)) return frames;
    stream.acceptWaveform({ samples: new Float32Array(FRAME), sampleRate: SAMPLE_RATE });
  }
  throw new Error('The model takes no audio.');
}

function open(number, language) {
  const stream = recognizer.createStream();
  if (language) stream.setOption('language', language);
  const opened = { stream, decoded: 0, tokens: 0 };
  streams.set(number, opened);
  return opened;
}

function accept({ stream: number, samples, language, finish }) {
  const opened = streams.get(number) ?? open(number, language);
  const { stream } = opened;
  if (samples.length > 0) stream.acceptWaveform({ samples: Float32Array.from(samples, (sample) => sample / 32768), sampleRate: SAMPLE_RATE });
  if (finish) {
    // All audio is in a whole step.
    stream.acceptWaveform({ samples: new Float32Array(Math.ceil((chunk + shift) * SAMPLE_RATE)), sampleRate: SAMPLE_RATE });
    stream.inputFinished();
  }
  return { opened, steps: [] };
}

function step({ opened, steps }) {
  opened.decoded += shift;
  const result = recognizer.getResult(opened.stream);
  const isLonger = result.tokens.length !== opened.tokens;
  opened.tokens = result.tokens.length;
  steps.push({ decoded: opened.decoded, ...(isLonger && { result }) });
}

function decode(parts) {
  const accepted = parts.map((part) => (part.forget ? undefined : accept(part)));
  for (;;) {
    const ready = accepted.filter((part) => part && recognizer.isReady(part.opened.stream));
    if (ready.length === 0) break;
    recognizer.decodeStreams(ready.map(({ opened }) => opened.stream));
    for (const part of ready) step(part);
  }
  for (const { stream, forget } of parts) if (forget) streams.delete(stream);
  return accepted.map((part) => part?.steps ?? []);
}

answerParent(({ load: config, parts }) => (config ? load(config) : decode(parts)));
