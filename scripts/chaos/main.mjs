// Deals the rounds over the kinds of faults in turn. One line for each round, one for each kind, exit code 1 when a promise was broken, 75 when a kind named by --only had no round.
import { parseArgs } from 'node:util';
import { MediaFiles } from '@parlance/testing';
import { randomFrom, seedOf } from '../../libs/platform/src/contract/chance.ts';
import { backup } from './faults/backup.mjs';
import { clock } from './faults/clock.mjs';
import { descriptors } from './faults/descriptors.mjs';
import { disk } from './faults/disk.mjs';
import { kill } from './faults/kill.mjs';
import { live } from './faults/live.mjs';
import { liveCluster } from './faults/live-cluster.mjs';
import { power } from './faults/power.mjs';
import { stopped } from './faults/stopped.mjs';
import { shortRecording } from './load.mjs';
import { PowerCutDisk } from './power-cut-disk.mjs';
import { exitCode, roundLine, summaryLine } from './report.mjs';
import { playRound } from './round.mjs';

const FAULTS = { kill, live, 'live-cluster': liveCluster, power, disk, descriptors, clock, stopped, backup };

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' }, only: { type: 'string' }, seed: { type: 'string' } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a number');
const kinds = values.only?.split(',') ?? Object.keys(FAULTS);
for (const kind of kinds) if (!FAULTS[kind]) throw new Error(`unknown kind ${kind}; there are: ${Object.keys(FAULTS).join(', ')}`);
// Without --seed that of CHANCE_SEED, or a fresh one.
const seed = values.seed === undefined ? seedOf() : Number(values.seed);
if (!Number.isSafeInteger(seed)) throw new Error('--seed takes a whole number');
console.log(`${rounds} rounds of ${kinds.join(', ')} (--seed ${seed})`);

// Ending by the signal itself would skip every disposal.
process.once('exit', () => PowerCutDisk.removeAll());
for (const [signal, number] of [['SIGINT', 2], ['SIGTERM', 15]]) process.once(signal, () => process.exit(128 + number));

const random = randomFrom(seed);
const results = new Map(kinds.map((kind) => [kind, []]));
const skipped = new Map();
for (const kind of kinds) {
  const reason = await FAULTS[kind].unavailable?.();
  if (reason !== undefined) skipped.set(kind, reason);
}

await using ends = new AsyncDisposableStack();
for (const kind of kinds) ends.defer(() => FAULTS[kind].end?.());
await using files = await MediaFiles.create();
const recording = await shortRecording(files);
for (let round = 0; round < rounds; round += 1) {
  const kind = kinds[round % kinds.length];
  if (skipped.has(kind)) continue;
  const own = Math.floor(round / kinds.length);
  const result = await (FAULTS[kind].play?.({ round: own, random }) ?? playRound(FAULTS[kind], { round, random, recording })).catch((error) => {
    // Node prints neither of the two errors of a round that failed and could not be cleared up.
    for (const each of [error.error, error.suppressed]) if (each) console.error(each);
    throw error;
  });
  results.get(kind).push(result);
  console.log(roundLine(round + 1, kind, result));
}

console.log();
for (const kind of kinds) console.log(summaryLine(kind, results.get(kind), skipped.get(kind)));
process.exitCode = exitCode(results, { named: values.only !== undefined });
