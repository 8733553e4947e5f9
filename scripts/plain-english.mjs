// Part of `npm run lint`: names, comments, messages and documents in plain English (CONTRIBUTING.md).
// node scripts/plain-english.mjs [--update] [--list] [--baseline FILE] [file or folder…]
// --list prints every fault. --update records how many there are, which may never be more than were recorded before.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { faultsIn } from './plain-english/faults-in.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { update: { type: 'boolean' }, list: { type: 'boolean' }, folder: { type: 'string', default: root }, baseline: { type: 'string', default: `${root}scripts/plain-english/baseline.json` } },
});

const CHECKED = /^(?:apps|libs|scripts|bench|sdks)\/.*\.(?:ts|mjs|js)$|^sdks\/.*\.php$|^README\.md$|^(?:apps|libs|deploy|helm|sdks)\/.*README\.md$|^docs\/(?!decisions\/).*\.md$|^helm\/.*values\.yaml$/u;
/** Generated files, the rules themselves, and tests, whose names are sentences of their own. */
const NOT_CHECKED = /\/[Gg]enerated\/|^docs\/reference\/|^scripts\/plain-english|\.spec\.|\/test\/|\/contract\/|\.fixture\.|^libs\/testing\/|^bench\/search-quality\/|^libs\/text-analysis\/src\/(?:cues|terms)\//u;

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...positionals], { cwd: values.folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  .split('\n')
  .filter((path) => CHECKED.test(path) && !NOT_CHECKED.test(path) && existsSync(`${values.folder}/${path}`));

const faults = new Map(tracked.map((path) => [path, faultsIn(path, readFileSync(`${values.folder}/${path}`, 'utf8'))]).filter(([, found]) => found.length > 0));
const baseline = existsSync(values.baseline) ? JSON.parse(readFileSync(values.baseline, 'utf8')) : {};
const counts = Object.fromEntries([...faults].map(([path, found]) => [path, found.length]).toSorted(([one], [other]) => (one < other ? -1 : 1)));
const sum = (of) => Object.values(of).reduce((total, count) => total + count, 0);

if (values.list) for (const [path, found] of faults) print(path, found);
if (values.update) update();
else compare();
console.log(`${sum(counts)} faults against plain English in ${faults.size} of ${tracked.length} files`);

function compare() {
  for (const path of new Set([...Object.keys(counts), ...Object.keys(baseline).filter((path) => positionals.length === 0 || tracked.includes(path))])) {
    const [now, before] = [counts[path] ?? 0, baseline[path] ?? 0];
    if (now === before) continue;
    process.exitCode = 1;
    if (now < before) console.error(`${path}: ${before} faults are recorded, ${now} are left; run: node scripts/plain-english.mjs --update`);
    else {
      console.error(`${path}: ${now} faults, ${before} are recorded:`);
      if (!values.list) print(path, faults.get(path));
    }
  }
}

function update() {
  if (existsSync(values.baseline) && sum(counts) > sum(baseline)) {
    console.error(`There are ${sum(counts)} faults, and only ${sum(baseline)} are recorded: the number may not rise.`);
    process.exitCode = 1;
    return compare();
  }
  writeFileSync(values.baseline, `${JSON.stringify(counts, null, 2)}\n`);
}

function print(path, found) {
  for (const { line, fault } of found) console.error(`  ${path}:${line}: ${fault}`);
}
