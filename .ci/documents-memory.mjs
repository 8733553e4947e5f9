// Resident memory of a process, started and set as the product is, while it writes ten hours as a document of the format given: bytes, as JSON.
import { DocumentWriter } from '@parlance/documents';
import { keepMemorySettings } from '@parlance/platform';
import { head, SCRIPTS } from './documents-texts.mjs';

/** Half a million characters in turns of 60, as ten hours of quick talk have. */
async function* tenHours() {
  const words = SCRIPTS.slice(0, 3).map(({ text }) => text).join(' ').split(' ');
  for (let turn = 0; turn < 9000; turn++) {
    const text = Array.from({ length: 9 }, (_, index) => `${words[(turn * 7 + index * index) % words.length]}${index === 4 ? turn : ''}`).join(' ');
    yield { text, speaker: `Speaker ${turn % 4}`, start: turn * 4 };
  }
}

keepMemorySettings();
const before = process.memoryUsage.rss();
let [peak, bytes, held] = [before, 0, 0];
let last = performance.now();
const timer = setInterval(() => {
  held = Math.max(held, performance.now() - last - 10);
  last = performance.now();
  peak = Math.max(peak, process.memoryUsage.rss());
}, 10);
for await (const piece of new DocumentWriter({ concurrency: 1, maxWaitMs: 60_000, scratchFolder: process.env.SCRATCH, spoolBytes: 1e8 }).write(process.argv[2], head, tenHours())) bytes += piece.length;
clearInterval(timer);
console.log(JSON.stringify({ before, peak, bytes, held }));
