// Detects speech in many blocks and prints how many promises more are alive after all of them than after half.
import { queryObjects } from 'node:v8';
import { SileroVoiceActivityDetector } from '@parlance/engines';

const BLOCKS = 80;
const counts = [];

async function* blocks() {
  for (let nth = 0; nth <= BLOCKS; nth += 1) {
    if (nth === BLOCKS / 2 || nth === BLOCKS) counts.push(queryObjects(Promise, { format: 'count' }));
    yield new Uint8Array(2 * 32_000);
  }
}

for await (const region of new SileroVoiceActivityDetector().detect(blocks(), new AbortController().signal)) throw new Error(`speech in silence at ${region.start}`);
console.log(counts[1] - counts[0]);
