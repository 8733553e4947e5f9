// Runs the measures one after the other, so that none disturbs another, and prints their table.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { acceptedJobs } from './measures/accepted-jobs.mjs';
import { eventBus } from './measures/event-bus.mjs';
import { memory } from './measures/memory.mjs';
import { turnaround } from './measures/turnaround.mjs';
import { wordErrors } from './measures/word-errors.mjs';
import { table } from './table.mjs';

const measures = { 'event-bus': eventBus, 'accepted-jobs': acceptedJobs, 'word-errors': wordErrors, turnaround, memory };

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, smoke: { type: 'boolean' }, only: { type: 'string' } } });
const size = values.smoke ? 'smoke' : values.quick ? 'quick' : 'full';
const wanted = values.only === undefined ? Object.entries(measures) : [[values.only, measures[values.only]]];
if (wanted.some(([, measure]) => measure === undefined)) throw new Error(`unknown measure; there are: ${Object.keys(measures).join(', ')}`);

const rows = [];
for (const [name, measure] of wanted) {
  process.stderr.write(`measuring ${name} (${size})…\n`);
  rows.push(...(await measure(size)));
}
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, size: ${size}\n`);
console.log(table(rows));
// Small runs prove that the measures work; only the others are held to their targets.
process.exitCode = size !== 'smoke' && rows.some(({ met }) => met === false) ? 1 : 0;
