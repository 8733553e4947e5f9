// Writes jobs as fast as it can until it is killed, and writes down what was done.
// node index-process.mjs <file of the index> <journal> <life>
import { appendFileSync } from 'node:fs';
import { openSearchIndex } from '@parlance/search-index';

const [, , path, journal, life] = process.argv;
const index = await openSearchIndex(`sqlite:${path}`, { dimensions: 8 });
const embedding = Float32Array.from({ length: 8 }, (_, at) => at + 1);

for (let round = 1; ; round += 1) {
  const jobId = `job${round % 7}`;
  const version = Number(life) * 1_000_000 + round;
  const count = 1 + ((round * 13) % 60);
  const passages = Array.from({ length: count }, (_, at) => ({ id: `p${at}`, language: 'en', start: at, end: at + 1, text: `said v${version} word${at}`, embedding }));
  await index.put({ accountId: 'acc', jobId, version, createdAt: '2026-01-01T00:00:00Z', duration: 1, passages });
  appendFileSync(journal, `${JSON.stringify({ jobId, version, count })}\n`);
}
