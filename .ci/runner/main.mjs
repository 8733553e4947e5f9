// Runs parts of .ci/parts and ends with "N passed, N failed": .ci/run the gate, .ci/full all of them. For any Node ≥ 20, without a dependency,
// since it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endRunning, runBounded } from './bounded.mjs';
import { calibrate } from './calibration.mjs';
import { FlakyLog, MAX_FLAKY } from './flaky.mjs';
import { readParts } from './parts.mjs';
import { Servers } from './servers.mjs';
import { thrice } from './thrice.mjs';
import { verdictOf } from './verdict.mjs';

/** Of the gate: property tests, fuzzed requests and the moments of kills are the same each time, so that a failure comes from the change. */
const FIXED_SEED = 20_261_124;
/** The gate must have a verdict before the 90 minutes in which CI ends it. */
const GATE_SECONDS = 85 * 60;
const MAX_DOWNLOAD_MS = 900_000;

const values = readOptions();
const started = performance.now();
const all = readParts('.ci/parts').filter(({ gate }) => !values.gate || gate !== undefined);
const unknown = (values.only ?? []).filter((name) => !all.some((part) => part.name === name));
if (unknown.length > 0) refuse(`no such part: ${unknown.join(', ')}; --list lists them`);
if (values.list) {
  for (const { name, gate, limit, title } of all) console.log(`${name.padEnd(18)} ${gate === undefined ? '    ' : 'gate'} ${String(limit).padStart(5)} s  ${title}`);
  process.exit(0);
}
const parts = values.only ? all.filter(({ name }) => values.only.includes(name)) : all;

const seed = values.seed ?? (values.gate ? FIXED_SEED : Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (--seed)`);
const speed = values['time-factor'] ? undefined : await calibrate();
const factor = Number(values['time-factor'] ?? speed.factor);
const speedLine = `limits × ${factor.toFixed(2)}${speed ? `: the fixed work took ${speed.wallSeconds.toFixed(1)} s by the clock and ${speed.cpuSeconds.toFixed(1)} s of processors, ${speed.cores} cores` : ''}`;
console.log(speedLine);

mkdirSync('reports', { recursive: true });
const flaky = new FlakyLog('reports/flaky.jsonl');
flaky.clear();
const shared = resolve(process.env.PARLANCE_SHARED ?? '../shared');
const env = {
  ...process.env,
  CI: 'true',
  PARLANCE_SHARED: shared,
  PARLANCE_SERVERS: join(shared, 'servers'),
  CHANCE_SEED: String(seed),
  TIME_FACTOR: String(factor),
  // npm repeats a request that stalls for half a minute. Its default is five minutes.
  NPM_CONFIG_FETCH_TIMEOUT: '30000',
  NPM_CONFIG_FETCH_RETRIES: '4',
};
// Below the ports that the kernel gives to outgoing connections, which would hold it now and then.
const servers = new Servers(join(shared, 'servers'), { ...env, MONGO_PORT: '27017' });

/** @type {Map<string, ReturnType<typeof verdictOf> & { seconds: number, limit: number }>} */
const results = new Map();
let stopped;

/** Ends the run with a verdict on what was checked so far. */
async function stop(reason) {
  stopped ??= reason;
  await endRunning();
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void stop(signal));
const deadline = values.gate ? setTimeout(() => void stop(`the gate's ${GATE_SECONDS / 60} minutes are over`), GATE_SECONDS * 1000) : undefined;

let isSetUp = false;
async function run(part) {
  const seconds = Math.ceil(part.limit * factor);
  console.log(`\n=== ${part.name}: ${part.title}`);
  const unchecked = (result, { message }) => {
    console.log(`--- ${result}: ${part.name}: ${message}`);
    return { result, passed: 0, failed: result === 'failed' ? 1 : 0, confirmed: false, details: [message], seconds: 0, limit: seconds };
  };
  try {
    if (!part.fresh && !isSetUp) await thrice(() => must('.ci/set-up'));
    isSetUp ||= !part.fresh;
  } catch (error) {
    // It also builds: what cannot be built is at fault, and not the network.
    return unchecked('failed', error);
  }
  let further = {};
  try {
    for (const command of part.downloads) await thrice(() => must(command));
    further = await servers.start(part.servers);
  } catch (error) {
    return unchecked('not checked', error);
  }
  const log = `reports/${part.name}.log`;
  const ended = await runBounded([resolve(part.file)], { cwd: '.', env: { ...env, ...further }, seconds, log });
  const verdict = verdictOf(ended, readFileSync(log, 'utf8'));
  console.log(`--- ${verdict.result}: ${part.name} (${Math.round(ended.seconds)} s of ${seconds} s)`);
  return { ...verdict, seconds: ended.seconds, limit: seconds };
}

/** Runs a shell command that waits for the network, so its time does not count against the limit of the part. */
function must(command) {
  const { status } = spawnSync('bash', ['-c', command], { stdio: ['ignore', 'inherit', 'inherit'], env, timeout: MAX_DOWNLOAD_MS });
  if (status !== 0) throw new Error(`could not be had: ${command}`);
}

for (const [index, part] of parts.entries()) {
  if (stopped) break;
  results.set(part.name, await run(part));
  if (!parts.slice(index + 1).some(({ servers: names }) => names.length > 0)) servers.stop();
}

// Once more, after the others and by itself, what failed and has not repeated itself already. More cannot all be chance.
const unsure = parts.filter(({ name }) => results.get(name)?.result === 'failed' && !results.get(name).confirmed);
if (unsure.length <= MAX_FLAKY)
  for (const part of unsure) {
    if (stopped) break;
    const first = results.get(part.name);
    const again = await run(part);
    if (again.result !== 'passed') continue;
    flaky.add(part.name, first.details.slice(0, 2).join(': '));
    results.set(part.name, again);
  }
clearTimeout(deadline);
servers.stop();
summarize();

function readOptions() {
  const options = {
    gate: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    seed: { type: 'string' },
    // In place of what the calibration measures.
    'time-factor': { type: 'string' },
  };
  let read;
  try {
    read = parseArgs({ options }).values;
  } catch (error) {
    refuse(error.message);
  }
  if (read.seed !== undefined && !/^\d{1,10}$/.test(read.seed)) refuse('--seed takes a whole number of at most ten digits');
  if (read['time-factor'] !== undefined && !(Number(read['time-factor']) >= 1)) refuse('--time-factor takes a number from 1 on');
  return read;
}

function refuse(message) {
  console.error(message);
  process.exit(2);
}

function summarize() {
  const rows = parts.map(({ name }) => {
    const { result, seconds, limit } = results.get(name) ?? { result: 'not run', seconds: 0, limit: 0 };
    return { part: name, result, seconds: Math.round(seconds), limit };
  });
  console.log(`\n${'part'.padEnd(18)} ${'result'.padEnd(12)} seconds  limit`);
  for (const { part, result, seconds, limit } of rows) console.log(`${part.padEnd(18)} ${result.padEnd(12)} ${String(seconds).padStart(7)} ${String(limit).padStart(6)}`);
  console.log(`${speedLine}; ${Math.round((performance.now() - started) / 1000)} s in all`);

  const chance = flaky.entries();
  const failures = [...results].filter(([, { result }]) => result === 'failed');
  for (const [name, { result, details }] of results) if (result === 'not checked') console.log(`NOT CHECKED ${name}: ${details[0]}`);
  for (const { what, first_failure: first } of chance) console.log(`FLAKY ${what}: ${first}`);
  for (const [name, { details }] of failures) console.log(`\nFAILED ${name}: ${details.join('\n  ')}`);
  const notRun = rows.filter(({ result }) => result === 'not run');
  if (stopped) console.log(`\nFAILED ${stopped}; not run: ${notRun.map(({ part }) => part).join(', ') || 'none'}`);
  if (chance.length > MAX_FLAKY) console.log(`\nFAILED ${chance.length} were flaky, ${MAX_FLAKY} may be`);

  const sum = (key) => [...results.values()].reduce((total, each) => total + each[key], 0);
  const passed = sum('passed');
  const failed = sum('failed') + notRun.length + (stopped ? 1 : 0) + (chance.length > MAX_FLAKY ? 1 : 0);
  writeFileSync(`reports/${values.gate ? 'gate' : 'full'}.json`, `${JSON.stringify({ seed, factor, passed, failed, parts: rows, flaky: chance }, undefined, 2)}\n`);
  if (values.gate && !values.only && failed === 0) remember(rows);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

/** Notes that the committed tree has passed the whole gate on this machine, where all of it could be checked and nothing else lay beside it. */
function remember(rows) {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  if (rows.some(({ result }) => result !== 'passed') || git('status', '--porcelain') !== '') return;
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'parlance-gate');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, git('rev-parse', 'HEAD^{tree}')), '');
}
