// A fixed piece of work of the kinds that the parts do: hashes, texts, small objects. Prints the processor seconds that it took.
import { createHash } from 'node:crypto';

const ROUNDS = 60;
const block = Buffer.alloc(4 << 20, 'parlance');
const sorted = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const hash = createHash('sha256').update(block).digest('hex');
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: `${hash}${(index * 7919) % 20_011}`, index }));
  sorted.push(JSON.stringify(rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))).length);
}
const { user, system } = process.cpuUsage();
console.log(sorted.length === ROUNDS ? (user + system) / 1e6 : NaN);
