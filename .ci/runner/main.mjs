// Runs parts of .ci/parts and ends with "N passed, N failed": .ci/run the gate, .ci/full all of them. For any Node ≥ 20, without a dependency,
// since it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runBounded } from './bounded.mjs';
import { calibrate } from './calibration.mjs';
import { FlakyLog, MAX_FLAKY } from './flaky.mjs';
import { readParts } from './parts.mjs';
import { Servers } from './servers.mjs';
import { threeTries } from './three-tries.mjs';
import { verdictOf } from './verdict.mjs';

/** Of the gate: property tests, fuzzed requests and the moments of kills are the same each time, so that a failure comes from the change. */
const FIXED_SEED = 20_261_124;
/** The gate must have a verdict before the 90 minutes in which CI ends it. */
const GATE_SECONDS = 85 * 60;
const MAX_DOWNLOAD_SECONDS = 900;
const MAX_READ_BYTES = 16 * 1024 * 1024;
/** A download ends with it when what a committed file asks for is wrong, though the network is there (EX_CONFIG of sysexits.h). */
const WRONG = 78;
/** Parts choose these settings themselves: those of a caller would change what is checked. */
const SETTINGS_OF_PARTS = ['TESTS', 'RANDOM_CASES', 'REQUEST_FUZZ', 'MEDIA_MUTATIONS', 'PROPERTY_SEED', 'KILL_SEED', 'PARLANCE_SHAPE', 'PARLANCE_REPLICAS', 'PARLANCE_CLUSTER_TESTS'];

const values = readOptions();
const started = performance.now();
const all = allParts().filter(({ gate }) => !values.gate || gate !== undefined);
const unknown = (values.only ?? []).filter((name) => !all.some((part) => part.name === name));
if (unknown.length > 0) refuse(`no such part: ${unknown.join(', ')}; --list lists them`);
if (values.list) {
  for (const { name, gate, limit, title } of all) console.log(`${name.padEnd(22)} ${gate === undefined ? '    ' : 'gate'} ${String(limit).padStart(5)} s  ${title}`);
  process.exit(0);
}
const parts = values.only ? all.filter(({ name }) => values.only.includes(name)) : all;

const seed = Number(values.seed ?? (values.gate ? FIXED_SEED : Math.floor(Math.random() * 2 ** 31)));
console.log(`seed ${seed} (--seed)`);
const speed = values['time-factor'] ? undefined : await calibrate();
const factor = Number(values['time-factor'] ?? speed.factor);
const speedLine = `limits × ${factor.toFixed(2)}${speed ? `: the fixed work took ${speed.wallSeconds.toFixed(1)} s by the clock and ${speed.cpuSeconds.toFixed(1)} s of processors, ${speed.cores} cores` : ''}`;
console.log(speedLine);

mkdirSync('reports', { recursive: true });
const kind = values.only ? 'only' : values.gate ? 'gate' : 'full';
const flaky = new FlakyLog(resolve('reports/flaky.jsonl'));
if (!values.only) flaky.clear();
const shared = resolve(process.env.PARLANCE_SHARED ?? '../shared');
const env = {
  ...process.env,
  ...Object.fromEntries(SETTINGS_OF_PARTS.map((name) => [name, undefined])),
  CI: 'true',
  PARLANCE_SHARED: shared,
  PARLANCE_SERVERS: join(shared, 'servers'),
  CHANCE_SEED: String(seed),
  TIME_FACTOR: String(factor),
  // npm repeats a request that stalls for half a minute. Its default is five minutes.
  NPM_CONFIG_FETCH_TIMEOUT: '30000',
  NPM_CONFIG_FETCH_RETRIES: '4',
};

/** Aborted when the run must end with a verdict on what was checked so far; its reason says why. */
const over = new AbortController();
const { signal } = over;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(name, () => over.abort(name));
process.stdout.on('error', () => over.abort('nothing reads the output'));
const deadline = values.gate ? setTimeout(() => over.abort(`the gate's ${GATE_SECONDS / 60} minutes are over`), GATE_SECONDS * 1000) : undefined;

// Below the ports that the kernel gives to outgoing connections, which would hold it now and then.
const servers = new Servers(join(shared, 'servers'), { ...env, MONGO_PORT: '27017' }, signal);
const tree = committedTree();
if (tree === undefined) console.log('Something is not committed: the parts with a clone of their own do not see it, and this tree will not be noted.');

/** @type {Map<string, ReturnType<typeof verdictOf> & { seconds: number, limit: number }>} */
const results = new Map();

/** A failed set-up fails the parts and does not leave them unchecked, as the set-up also builds. */
let setUpFailure;
let isSetUp = false;

/** @returns undefined when the run had to end before it */
async function run(part) {
  const seconds = Math.ceil(part.limit * factor);
  console.log(`\n=== ${part.name}: ${part.title}`);
  const outcomeWithoutRun = (result, { message }) => {
    console.log(`--- ${result}: ${part.name}: ${message}`);
    return { result, passed: 0, failed: result === 'failed' ? 1 : 0, confirmed: result === 'failed', details: [message], seconds: 0, limit: seconds };
  };
  let settings;
  let cwd = resolve('.');
  try {
    if (!part.fresh) await setUp();
    for (const command of part.downloads) await fetchBy(command);
    settings = await servers.start(part.servers);
    if (part.fresh) cwd = freshClone();
  } catch (error) {
    if (signal.aborted) return undefined;
    return outcomeWithoutRun(error === setUpFailure || error.isFinal ? 'failed' : 'not checked', error);
  }
  const log = `reports/${part.name}.log`;
  let ended;
  let verdict;
  try {
    ended = await runBounded([join(cwd, part.file)], { cwd, env: { ...env, ...settings }, seconds, log, signal });
    verdict = verdictOf(ended, endOf(log));
  } catch (error) {
    return signal.aborted ? undefined : outcomeWithoutRun('failed', error);
  } finally {
    if (part.fresh) rmSync(cwd, { recursive: true });
  }
  console.log(`--- ${verdict.result}: ${part.name} (${Math.round(ended.seconds)} s of ${seconds} s)`);
  return { ...verdict, seconds: ended.seconds, limit: seconds };
}

/** @throws Error, the same for all parts: what has failed three times is not tried again */
async function setUp() {
  if (setUpFailure) throw setUpFailure;
  if (isSetUp) return;
  try {
    await fetchBy('.ci/set-up');
    isSetUp = true;
  } catch (error) {
    if (!signal.aborted) setUpFailure = error;
    throw error;
  }
}

/** Runs a shell command that waits for the network, so its time does not count against the limit of the part. */
async function fetchBy(command) {
  await threeTries(async () => {
    const { status } = await runBounded(['bash', '-c', command], { env, seconds: MAX_DOWNLOAD_SECONDS, log: 'reports/download.log', signal });
    if (status === 0) return;
    throw Object.assign(new Error(status === WRONG ? `asks for what there is not: ${command}` : `could not be had: ${command}`), { isFinal: status === WRONG });
  }, signal);
}

/** The last megabytes of what a part printed. */
function endOf(log) {
  const file = openSync(log);
  try {
    const start = Math.max(0, fstatSync(file).size - MAX_READ_BYTES);
    const bytes = Buffer.alloc(MAX_READ_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, MAX_READ_BYTES, start));
  } finally {
    closeSync(file);
  }
}

/** What is committed, as a newcomer gets it. */
function freshClone() {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-fresh-'));
  const { status, stderr } = spawnSync('git', ['clone', '--quiet', '.', folder], { encoding: 'utf8' });
  if (status !== 0) throw Object.assign(new Error(`The repository cannot be cloned: ${stderr.trim()}`), { isFinal: true });
  return folder;
}

for (const [index, part] of parts.entries()) {
  if (signal.aborted) break;
  const result = await run(part);
  if (result) results.set(part.name, result);
  if (!parts.slice(index + 1).some(({ servers: names }) => names.length > 0)) servers.stop();
}

// Each part that failed is run once more, after the others and by itself. More than MAX_FLAKY cannot all have failed by chance.
const unconfirmed = parts.filter(({ name }) => results.get(name)?.result === 'failed' && !results.get(name).confirmed);
if (unconfirmed.length <= MAX_FLAKY)
  for (const part of unconfirmed) {
    if (signal.aborted) break;
    const first = results.get(part.name);
    const again = await run(part);
    if (again?.result !== 'passed') continue;
    flaky.add(part.name, first.details.slice(0, 2).join(': '));
    results.set(part.name, again);
  }
clearTimeout(deadline);
const isRight = summarize();
servers.stop();
process.exit(isRight ? 0 : 1);

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
  if (read['time-factor'] !== undefined && !(Number(read['time-factor']) >= 1 && Number(read['time-factor']) <= 100)) refuse('--time-factor takes a number from 1 to 100');
  return read;
}

function allParts() {
  try {
    return readParts('.ci/parts');
  } catch (error) {
    refuse(error.message);
  }
}

function refuse(message) {
  console.error(message);
  process.exit(2);
}

/** Prints and stores what was found. @returns whether nothing failed */
function summarize() {
  const rows = parts.map(({ name }) => {
    const { result, seconds, limit, details } = results.get(name) ?? { result: 'not run', seconds: 0, limit: 0, details: [] };
    return { part: name, result, seconds: Math.round(seconds), limit, ...(details.length > 0 && { why: details[0] }) };
  });
  console.log(`\n${'part'.padEnd(22)} ${'result'.padEnd(12)} seconds  limit`);
  for (const { part, result, seconds, limit } of rows) console.log(`${part.padEnd(22)} ${result.padEnd(12)} ${String(seconds).padStart(7)} ${String(limit).padStart(6)}`);
  console.log(`${speedLine}; ${Math.round((performance.now() - started) / 1000)} s in all`);

  const chance = flaky.entries();
  for (const [name, { result, details }] of results) if (result === 'not checked') console.log(`NOT CHECKED ${name}: ${details[0]}`);
  for (const { what, first_failure: first } of chance) console.log(`FLAKY ${what}: ${first}`);
  for (const [name, { result, details }] of results) if (result === 'failed') console.log(`\nFAILED ${name}: ${details.join('\n  ')}`);
  const notRun = rows.filter(({ result }) => result === 'not run');
  const sum = (key) => [...results.values()].reduce((total, each) => total + each[key], 0);
  const passed = sum('passed');
  const ofTheRun = [
    signal.aborted && `${signal.reason}; not run: ${notRun.map(({ part }) => part).join(', ') || 'none'}`,
    chance.length > MAX_FLAKY && `${chance.length} were flaky, ${MAX_FLAKY} may be`,
    !values.only && passed === 0 && sum('failed') === 0 && !signal.aborted && 'nothing could be checked',
  ].filter(Boolean);
  for (const why of ofTheRun) console.log(`\nFAILED ${why}`);

  const failed = sum('failed') + notRun.length + ofTheRun.length;
  try {
    writeFileSync(`reports/${kind}.json`, `${JSON.stringify({ seed, factor, passed, failed, parts: rows, flaky: chance }, undefined, 2)}\n`);
  } catch (error) {
    console.log(`The report cannot be written: ${error.message}`);
  }
  if (kind === 'gate' && failed === 0 && rows.every(({ result }) => result === 'passed')) remember();
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0;
}

/** Notes that the committed tree has passed the whole gate on this machine. Not when it was changed meanwhile, or a file lay beside it that git does not ignore. */
function remember() {
  if (tree === undefined || committedTree() !== tree) return;
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'parlance-gate');
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, tree), '');
    console.log(`The tree ${tree} is noted in ${folder}.`);
  } catch (error) {
    console.log(`The tree that passed cannot be noted: ${error.message}`);
  }
}

/** @returns undefined when something is not committed */
function committedTree() {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  return git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD^{tree}') : undefined;
}
