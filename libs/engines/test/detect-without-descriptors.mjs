// Detects speech when this process has two free file descriptors, too few for the pipes of a child, and prints whether that is an outage.
import { closeSync, openSync } from 'node:fs';
import { SileroVoiceActivityDetector } from '@parlance/engines';
import { outageOf } from '@parlance/platform';

async function* silence() {
  yield new Uint8Array(64_000);
}

const detect = async (detector) => {
  for await (const region of detector.detect(silence(), new AbortController().signal)) throw new Error(`speech in silence at ${region.start}`);
};

const detector = new SileroVoiceActivityDetector();
// What is loaded at the first detection is loaded now.
await detect(detector);
const taken = [];
try {
  for (;;) taken.push(openSync('/dev/null'));
} catch {
  // None is left.
}
// The model is read before the process starts.
taken.splice(0, 2).forEach((descriptor) => closeSync(descriptor));
const failure = await detect(detector).catch((error) => error);
taken.forEach((descriptor) => closeSync(descriptor));
console.log(outageOf(failure)?.code ?? failure);
await detect(detector);
