// Runs Silero VAD in a thread of its own, since sherpa-onnx is synchronous. Plain JavaScript, so that a worker can load it
// as it is from src/ and from dist/. In: `{ samples: Int16Array }` or `{ end: true }`; out, once for each: the ended
// regions as `[firstSample, sampleAfterLast]`. `{ close: true }` ends the thread.
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

const { Vad } = createRequire(import.meta.url)('sherpa-onnx-node');
const BUFFER_SECONDS = 60;
const WINDOW = workerData.sileroVad.windowSize;
const detector = new Vad(workerData, BUFFER_SECONDS);

/** The detector copies it; a new one for each would be memory by the megabyte until garbage is collected. */
const window = new Float32Array(WINDOW);

/** Window by window, as the model looks at it: a longer stretch at once is judged as one. Only the last block is padded. */
function accept(samples) {
  for (let from = 0; from < samples.length; from += WINDOW) {
    for (let at = 0; at < WINDOW; at++) window[at] = (samples[from + at] ?? 0) / 32768;
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

parentPort.on('message', ({ samples, end, close }) => {
  if (close) return parentPort.close();
  if (end) {
    detector.flush();
  } else {
    accept(samples);
  }
  parentPort.postMessage(endedRegions());
});
