// Cancels detections at varying moments of their native calls, in a process of its own: what goes wrong there ends the process.
import { SileroVoiceActivityDetector } from '@parlance/engines';

const noise = new Uint8Array(64_000).map((_, index) => (index * 7919) % 251);

async function* endless() {
  for (;;) yield noise;
}

for (let round = 0; round < Number(process.argv[2]); round += 1) {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 60 + (round % 7) * 13);
  try {
    for await (const _ of new SileroVoiceActivityDetector().detect(endless(), abort.signal));
  } catch (error) {
    if (!abort.signal.aborted) throw error;
  }
}
console.log('alive');
