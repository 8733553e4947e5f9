// Part of `npm run lint`: every regular expression of the product takes linear time, whatever text it gets.
// node scripts/regular-expressions.mjs [folder…]
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { patternsIn } from './regular-expressions/patterns.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const MAX_WORKERS = 4;
/** Tests, checks, and what serves them alone. */
const NOT_OF_THE_PRODUCT = ['/test/', '/contract/', '/libs/testing/', '/scripts/chaos', '/scripts/regular-expressions/', '.spec.', '.d.ts'];

const folders = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['apps', 'libs', 'scripts'].map((folder) => `${root}${folder}`);
const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,mjs,js}`, { exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path) }));

/** The places of each pattern, by the pattern as it is written. */
const places = new Map();
for (const path of files.filter((file) => !NOT_OF_THE_PRODUCT.some((part) => file.includes(part)))) {
  for (const { source, flags, line } of patternsIn(path, readFileSync(path, 'utf8'))) {
    const key = JSON.stringify({ source, flags });
    places.set(key, [...(places.get(key) ?? []), `${relative(root, path)}:${line}`]);
  }
}

const waiting = [...places.keys()];
const refused = [];

async function judge() {
  const worker = new Worker(new URL('regular-expressions/judge.mjs', import.meta.url));
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    worker.postMessage(JSON.parse(key));
    const [verdict] = await once(worker, 'message');
    if (verdict.status !== 'safe') refused.push({ key, verdict });
  }
  await worker.terminate();
}

await Promise.all(Array.from({ length: Math.min(MAX_WORKERS, availableParallelism()) }, judge));
for (const { key, verdict } of refused) {
  const { source, flags } = JSON.parse(key);
  const why = verdict.status === 'vulnerable' ? `${verdict.complexity}, by ${verdict.attack}` : `not decided: ${verdict.error}`;
  console.error(`${places.get(key).join(', ')}: /${source}/${flags} takes more than linear time (${why})`);
}
console.log(`${places.size} regular expressions, ${refused.length} refused`);
process.exitCode = refused.length === 0 ? 0 : 1;
