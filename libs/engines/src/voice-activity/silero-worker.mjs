// Runs Silero VAD in a process of its own (SileroProcess). Plain JavaScript, so that it runs as it is from src/ and from dist/.
// Its argument: sherpa-onnx's settings as JSON. In, on standard input: blocks of samples (s16le) after their length in bytes
// (u32le); an empty one ends the recording. Out, on descriptor 3, a line for each: the ended regions as
// `[[firstSample, sampleAfterLast], …]`. It ends with its input, and so with its parent.
import { readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

const { Vad } = createRequire(import.meta.url)('sherpa-onnx-node');
const BUFFER_SECONDS = 60;
const INPUT = 0;
const ANSWERS = 3;

const config = JSON.parse(process.argv[2]);
const detector = new Vad(config, BUFFER_SECONDS);

/** The detector copies it; a new one for each would be memory by the megabyte until garbage is collected. */
const window = new Float32Array(config.sileroVad.windowSize);

// Who stops the parent by Ctrl-C stops this too, but what is under way ends first.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});

const length = Buffer.alloc(4);
let block = Buffer.alloc(0);
while (readWhole(length)) {
  const bytes = length.readUInt32LE();
  if (bytes > block.byteLength) block = Buffer.alloc(bytes);
  if (!readWhole(block.subarray(0, bytes))) break;
  if (bytes === 0) detector.flush();
  else accept(new Int16Array(block.buffer, block.byteOffset, bytes / 2));
  writeSync(ANSWERS, `${JSON.stringify(endedRegions())}\n`);
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

/** Window by window, as the model looks at it: a longer stretch at once is judged as one. Only the last block is padded. */
function accept(samples) {
  for (let from = 0; from < samples.length; from += window.length) {
    for (let at = 0; at < window.length; at++) window[at] = (samples[from + at] ?? 0) / 32768;
    detector.acceptWaveform(window);
  }
}

function endedRegions() {
  const regions = [];
  while (!detector.isEmpty()) {
    // false: the samples are copied; a view of native memory would outlive pop()
    const { start, samples } = detector.front(false);
    regions.push([start, start + samples.length]);
    // Given back at once: so little else is garbage here that it would lie about by the tens of megabytes.
    samples.buffer.transfer(0);
    detector.pop();
  }
  return regions;
}
